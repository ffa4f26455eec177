package terms

import "strings"

// irregular maps forms of irregular English verbs and nouns to the word itself, which
// stemming cannot: what somebody bought is asked for with "buy". Forms that are as often
// another word (left, bit, led, lives) are not here.
var irregular = func() map[string]string {
	m := map[string]string{}
	for line := range strings.Lines(irregularForms) {
		word, forms, _ := strings.Cut(line, ":")
		for _, f := range strings.Fields(forms) {
			m[f] = word
		}
	}
	return m
}()

// irregularForms has a word a line, then its forms.
const irregularForms = `become: became
begin: began begun
bend: bent
blow: blew blown
break: broke broken
bring: brought
build: built
buy: bought
catch: caught
child: children
choose: chose chosen
come: came
deal: dealt
dig: dug
draw: drew drawn
drink: drank drunk
drive: drove driven
eat: ate eaten
fall: fell fallen
feed: fed
feel: felt
fight: fought
find: found
fly: flew flown
foot: feet
forget: forgot forgotten
forgive: forgave forgiven
freeze: froze frozen
give: gave given
go: went gone goes
grow: grew grown
hang: hung
hear: heard
hide: hid hidden
hold: held
keep: kept
know: knew known
lend: lent
lose: lost
man: men
mean: meant
meet: met
mouse: mice
pay: paid
ride: rode ridden
ring: rang rung
rise: rose risen
run: ran
say: said
see: saw seen
seek: sought
sell: sold
send: sent
shake: shook shaken
shine: shone
shoot: shot
show: shown
sing: sang sung
sink: sank sunk
sit: sat
sleep: slept
speak: spoke spoken
spend: spent
stand: stood
steal: stole stolen
strike: struck stricken
swear: swore sworn
sweep: swept
swim: swam swum
take: took taken
teach: taught
tear: tore torn
tell: told
think: thought
throw: threw thrown
tooth: teeth
understand: understood
wake: woke woken
wear: wore worn
win: won
woman: women
write: wrote written
`
