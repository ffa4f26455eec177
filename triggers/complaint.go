package triggers

import "sync"

// A complaint says that something fails again, still or over and over, that a fix did not
// hold or broke something else, that work was undone, or that the same thing has to be
// said once more. A failure told for the first time is none: it is a request like any
// other, and there is no lesson in it yet.

// englishComplaints finds complaints in English.
var englishComplaints = sync.OnceValue(func() grammar {
	return script{
		words:  english(),
		edge:   `\b`,
		clause: `[,;:()]| but | yet | and (?:it|now|still|then it|the|we|i|im|they|you|my) |(?:cant believe|dont (?:know|understand|get|see) why|no idea why|wonder(?:ing)? why|not sure why|hate (?:it )?(?:when|that)|annoying that) `,
		phrases: `
# still
why (?:is|are|am|was|were|does|do|did|has|have) {so}still
how (?:is|are|come|can|does) {so}(?:still|again)
(?:even after|even with|despite|in spite of|regardless of|no matter (?:what|how|which|where)) .{0,60}?(?:{ill}|{not} |same\b|still)
still {gap}(?:{fail})
still {gap}{not} (?:{so})(?:{work}|{fail}|\w+ing|\w+ed)
still (?:doesnt|dont|didnt|wont|cant|cannot|couldnt|isnt|arent|wasnt|hasnt|havent|nope|no luck|no joy|no dice|not)
still {gap}(?:the )?(?:very |exact )?same
still (?:just )?(?:get|gets|getting|got|see|sees|seeing|hit|hits|hitting|face|facing|experience|experiencing|having|running into|run into|producing|produces|giving|gives|doing|does|complaining|reporting|reports|showing|shows|saying|says|happening|happens|occurring|occurs|reproducible|reproduces|reproducing|present|exists|persists|there|here|broken|unresolved|unfixed|an issue|a problem|nothing)
^{hmm}still(?: [\w ]{0,12})?[.!?]*$
, still[.!?]*$
(?:can|able to) still (?:\w+ly )?(?:reproduce|see|trigger|get|hit|observe|make it|break)
still (?:\w+ly )?(?:shows?|showing|displays?|returns?|prints?|renders?|points?|refers?|says?|logs?|uses?|sends?|serves?|loads?|picks?|reads?|contains?|has|have|gets?|reports?|expects?|gives?|takes?|wants?) (?:to )?(?:up )?(?:with )?(?:the |my |an? |our |that |in )?(?:old|older|wrong|stale|previous|outdated|cached|same|empty|default|original|broken|bad|deleted|removed|legacy|yesterdays|last|all|both|two|duplicates?|nothing|no|0|zero|too)

# again | once more | yet another | another
^{hmm}(?:once|yet) again,? (?:i|we|the|you|it|its|this|that|my|nothing|no|same|all|there)\b
i (?:have|had|need|needed) to (?:say|repeat|tell|ask|explain|remind|fix|correct|undo|revert|redo|restart|clean|do) (?:[^\s,]+ ){0,6}?again
(?:let me|i) repeat(?: myself)?\b
(?:{fail}) {so}(?:again|once more|yet again)
(?:again|once more) {gap}(?:{fail})
(?:not|isnt|arent|doesnt|dont|didnt|wont|cant|cannot|unable to|nothing) {gap}(?:{work}) {so}(?:again|once more)
why (?:is|are|was|were|does|do|did|has|have|am|on earth|the hell|the heck|the fuck|in the world|oh why|would you) {so}(?:again|once more)
^{hmm}(?:again|not again|yet again|oh no,? not again)[ ?!.]*$
not (?:this|that|it|the same \w+) again
here we go again
(?:yet )?another (?:regression|breakage|round of (?:the same|this)|broken build|failed attempt)
again,? (?:you|the same|that same|this same|wrong|no|this (?:error|bug|problem|issue))
(?:did|done|doing|does|made|making|make|do) (?:it|that|this|exactly (?:this|that)|the (?:very |exact )?same(?: \w+)?) (?:again|once more)
(?:happen(?:s|ed|ing)|occur(?:s|red|ring)|appear(?:s|ed|ing)|show(?:s|ed|ing)? up|start(?:s|ed|ing)?|came|come|comes|turned up|popp(?:ed|ing) up|pops up|reproduc(?:ed|es|ible)|back) (?:\w+ ){0,2}(?:again|once more)
(?:again|once more) and again
you(?:ve|r| have| just| did| went and| went ahead and)* (?:\w+ly )?(?:{hurt}) {so}(?:again|once more)
did you (?:\w+ ){0,2}(?:{hurt}) {so}again
(?:get|gets|getting|got|see|sees|seeing|hit|hits|hitting|have|having|facing|into|at) (?:[^\s,;]+ ){1,6}?again
(?:no|once) again(?:$|[ ,]+(?:the|it|this|same|you|wrong|no))

# keep
(?:sick|tired|fed up|exhausted) (?:of|with|from) (?:\w+ ){0,6}?(?:\w+ing|this|that|these|the same|your)
(?:recurring|chronic|perennial|never-ending|repeated) (?:\w+ )?(?:{ill})
why (?:do|does|did|is|are|has|have|am|would) {so}keep(?:s)? (?:on )?(?:\w+ly )?\w+ing
why [^,]{1,50} keeps (?:on )?\w+ing
you keep (?:on )?(?:\w+ly )?\w+ing
you kept (?:on )?\w+ing
(?:it|this|that|they|he|she|\w+) keeps (?:on )?(?:\w+ly )?\w+ing
(?:we|i|im|people|users|customers) keep (?:on )?(?:running into|getting|seeing|hitting|having|losing|fixing|breaking|bumping into|coming back|going (?:round|around|in circles|back)|facing|finding|having to|tripping|stumbling|struggling|fighting|repeating|making|forgetting|stepping|chasing|patching|ending up|landing|reverting|rolling back|explaining|correcting|reminding|telling|asking)
(?:tests?|builds?|jobs?|they|errors?|things|requests?|\w+s|and|just|to) keep (?:on )?(?:{fail}|\w*fail\w*|breaking|crashing|happening|coming|reappearing|returning|dying|disappearing|popping|showing up|timing out|getting|changing|flipping|hanging|restarting|disconnecting|dropping|resetting|reverting)
keeps? (?:on )?(?:coming (?:back|up)|reappearing|happening|popping (?:back )?up|biting|haunting|repeating)

# same | identical
same (?:[\w-]+ ){1,4}?(?:that |which |as )?(?:we|i|you|they) (?:had|saw|hit|fixed|got|made|did|used|dealt|faced|reported|debugged|chased|solved|discussed|reviewed)\b
same (?:[\w-]+ ){1,3}?(?:that|which) (?:broke|failed|caused|crashed|took down|killed|bit)
same as (?:before|yesterday|last|always|usual|ever|earlier|the last)
(?:{ill}|{not} (?:\w+ )?\w+|climbs|climbing|grows|growing|slow\w*|red) (?:\w+ )?(?:exactly |just )?(?:as|like) (?:before|yesterday|last time|it did|always|usual)
(?:same|similar) (?:old |silly |stupid |dumb |exact |damn |fucking |bloody )?(?:{thing})s? {gap}(?:again|back|still|once more|twice|every (?:single )?time|over and over|all over|keeps?|persists|remains|shows? up|showing up|pops? up|appears|appearing|comes? (?:back|up)|came (?:back|up)|happens|happened|happening|occurs|occurred|occurring|returns|returned)
(?:same|identical|similar) (?:\w+ )?(?:{thing})s? (?:\w+ ){0,2}(?:as|like) (?:{when}|last|in|with|the (?:other|last|previous)|we|i|you|always|ever|usual|it (?:did|was)|#?\d+|beforehand|in the)
(?:get|gets|getting|got|see|sees|seeing|hit|hits|hitting|gives?|giving|gave|have|having|had|with|is|its|thats|theres|and|then|but) (?:me )?(?:the |that |this )?(?:very |exact |exactly the |exactly |just the )?(?:same|identical) (?:[\w-]+ )?(?:{ill})s?
(?:still|get|getting|got|gives?|gave|with|but|and|yet|then) (?:me )?(?:the |that )?(?:very |exact |exactly the |exactly |just the )?(?:same|identical) (?:\w+ )?(?:{thing})(?: again| here| as before)?[.!?,]*$
(?:^{hmm}|[,:-] ?|\band )(?:{hmm})(?:the |it is |its |thats |that is |this is )?(?:exact |exactly the |exactly |very |just the |again the |still the )?(?:same|identical) (?:old |damn |exact |[\w-]+ )?(?:(?:{ill}|{fail})s?\b|(?:{thing})s?(?:$|[.!?,:]| (?:again|here|as|every|still|happen\w*|fails?)))
(?:all |both |each |every \w+ |\w+ )(?:end|ends|ended|ending|result|results|resulted|finish|finishes|stop|stops|lead|leads|run|runs|ran) (?:up )?(?:in|with|at|on|to|into) (?:the |that )?(?:very |exact |exactly the )?(?:same|identical)
every (?:single )?(?:\w+ )?(?:release|deploy|deployment|build|merge|sprint|update|upgrade|commit|fix|refactor\w*|pr|change)s? .{0,40}(?:same|this|{fail})
(?:error|message|output|result|behaviou?r|stack ?trace|response|screen|page|exception|symptom)s? (?:is|are|looks?|stays?|remains?) (?:exactly |completely |just |the )?(?:the same|same|identical|unchanged|what it was|what they were|as before|as it was)
(?:{ill}|stops?|stopped|ends?) {so}(?:in|at|on|with|for|into|to) (?:the )?(?:very |exact |exactly the )?same (?:way|place|line|spot|point|step|stage|assertion|test|manner|reason|fashion|thing|wall)
(?:at|on|in) (?:the )?(?:very|exact|exactly the) same (?:place|line|spot|point|step|stage|assertion|test|reason)
(?:fail\w*|broke\w*|crash\w*|hang\w*|die[sd]?|stuck|stops?) {so}(?:the same|identically|exactly (?:as|like)|just (?:as|like) (?:before|last|yesterday))
(?:made|make|makes|making|repeat\w*|committed) {gap}(?:same|identical|similar) (?:\w+ )?(?:mistakes?|errors?|blunders?|bugs?|thing|slip|nonsense)
same (?:\w+ )?(?:mistakes?|blunders?)(?:[ ,]|$)
same (?:old )?(?:story|song|dance)

you (?:just |again |have |ve |once again )*(?:introduced|made|wrote|used|did|have|put|added|left|repeated|committed|got|produced|generated) (?:\w+ )?(?:the |that |this )?(?:very |exact )?same (?:[\w-]+ ){1,4}?(?:as|again|you|we|i|from|in)
your (?:previous|last|earlier|first|other|old) (?:\w+ )?(?:answer|version|code|reply|attempt|suggestion|patch|fix|solution|try) (?:already |also )?(?:had|has|contained|did|failed|made|broke|was)
(?:{ill}) (?:still |just )*(?:persists?|remains?|lingers|is unresolved|continues?(?: to)?|hasnt gone|never went away|wont go away|keeps)\b
(?:{ill}|happens?|happening|occurs?) (?:repeatedly|constantly|consistently|continuously|every single time|all the time|over and over|in a loop|on every (?:run|build|deploy))
# repeat | over and over | circles | deja vu | groundhog | bit us | bitten
(?:youre|you are|you|were|we are|im|i am|hes|its) (?:just )?(?:repeating|going (?:round|around)? ?in circles|looping|stuck in a loop)
(?:you|he|it|we) (?:just |again |have |has |ve )*repeat(?:ed|s)? (?:the|that|this|your|yourself|itself|exactly)
(?:{ill}|happen\w*|repeat\w*|same \w+|ask\w*|tell\w*|say\w*|fix\w*|explain\w*|mak\w+|correct\w*|revert\w*) {so}over and over
(?:deja vu|groundhog day)
(?:bit|bites|bitten|burned|burnt|got) (?:us|me|by this|by that|by it) (?:again|twice|before|already|last)

# regress
{hmm}(?:a|another|the|this|that|new|nasty|clear|same|big|huge|serious|obvious|perf|performance|ui|layout|speed|memory|looks like a|some|weird|subtle) regression\b
regressions? (?:in|after|since|from|again|caused|introduced|with|on|when|that|was|is|here|got)\b
^{hmm}regression\b[.!:,]?
regress(?:ed|es|ing)

# times | time
(?:{ill}|happens?|does this|do this) (?:[^\s,]+ ){0,6}?(?:each|every) (?:single |damn |fucking )?time
(?:didnt|did|havent|hadnt|dont) (?:i|we) (?:not )?(?:just |already |literally |clearly |specifically )*(?:tell|told|ask|asked|say|said|mention|mentioned|explain|explained|agree|agreed|warn|warned)\b
(?:when|will|can|could) .{0,30}?(?:finally|ever) (?:be |get )?(?:fix\w*|work|stop\w*|solved?|resolved?)\b
how many (?:more |fucking |damn )?times (?:(?:do|did|must|should|have|will|am|are) (?:i|we)|(?:has|will|does|is|can|must) (?:this|it|that))\b
(?:{nth}|\w+) (?:day|week|time|sprint|night|build|attempt|try|deploy|release|run|commit|pr|month) (?:running|in a row|straight)
(?:happened|happening|happens|been (?:failing|broken|red|down|crashing|happening)|fails|failing|broken) (?:\w+ ){0,3}?(?:all (?:day|week|morning|night)|for (?:days|weeks|hours|\w+ (?:days|weeks|hours)))
(?:twice|thrice|(?:two|three|four|five|\d+) times) (?:now|already|today|in a row|this (?:week|morning|sprint))
(?:{nth}) (?:fucking |damn |bloody |straight )?time (?:today|this|now|in a row|already|that|i|im|ive|i have|we|weve|were|you|youve|youre|its|it|the same|running|around|thats|since|and)
(?:this|thats|that|its|it|is) (?:is )?(?:now |already |literally |at least |like )*(?:the )?(?:{nth}) (?:\w+ )?time
for the (?:{nth}) (?:\w+ )?time
^{hmm}(?:{nth}) time\b(?:[.!?, ]*$|,| (?:the|our|my|your) \w+ \w+| (?:this|today|i|im|we|you|that|it|its|now|already))
(?:(?:{nth}|another|last|my \w+|final) (?:attempt|try|run|deploy|build|go|time)|tried|retried|reran|rolled forward|redeployed|rebuilt|reinstalled|rebooted|restarted)\b.{0,40}?(?:same|identical|still|again|nothing changed|no change|no luck)
(?:two|three|four|five|six|seven|ten|\d+|several|multiple|many|so many|a (?:hundred|thousand|million|dozen)|countless) times (?:now|already|today|in a row|this week)
(?:told|asked|said|explained|fixed|corrected|reported|reminded) .{0,30}(?:twice|\d+ times|(?:two|three|four|five|several|many|multiple) times|a (?:hundred|thousand|million) times)
every (?:single |damn |fucking )?time (?:you (?:touch|change|edit|fix|refactor|update|rewrite|commit|push|try|generate|answer|do|make|merge|deploy|say|write|modify)|i (?:ask|tell|let|give|say|fix|request|want|run|open|deploy|push|try)|we (?:fix|deploy|release|ask|merge|push|run|try))
(?:happens|breaks|fails|crashes|broken|wrong) (?:\w+ )?every (?:single )?time
(?:as|like) (?:every time|always|usual)\b

# always | constantly | repeatedly | never learn | continually
you (?:always|constantly|repeatedly|continually|consistently|continuously|invariably) {gap}(?:{hurt})
(?:why|how come) {so}(?:always|constantly|repeatedly) {gap}(?:{fail})
you never (?:learn|listen|remember|read|check|test|follow|run|look)

# fix | solv | patch | change | edit | refactor | commit | update | upgrade | merg | solution | suggestion | help | work | attempt | rewrite | version | sort | done | gone | clos | suppos | version | deploy | release | rename | cleanup | rebase | bump | migrat | tweak | code | diff | effect | differ | push | optimi
(?:your|yours|ur) {gap}(?:{fix}|fixes|changes|edits|suggestions|code) {gap}(?:didnt|doesnt|did not|does not|dont|hasnt|havent|has not|isnt|is not|arent|wasnt|never|wont|cant|failed|fails|made|makes|broke|breaks|has broken|have broken|broken|caused|causes|introduced|undid|reverted|removed|deleted|got|is gone|changed nothing|does nothing|did nothing|messed|ruined|killed|only (?:made|works?|fixes|fixed|handles?|covers?|solves?|hides?|moves?|moved)|is wrong|was wrong|crash\w*)
(?:your|yours) (?:[\w-]+ ){1,4}?(?:broke|breaks|broken|undid|reverted|reintroduces?d?|ruined|killed|messed up|brought back|made it worse|all (?:fail|end|break|crash)|only (?:moved|hides|hid))
(?:broke|broken|breaks|fails?|failing|failed|crash\w*|stopped \w+|red|down|gone|missing) (?:\w+ ){0,4}?(?:after|since|because|thanks to|due to)(?: of)? (?:you\b|your)
(?:after|since) (?:updating|upgrading|merging|applying|deploying|pulling|rebasing|switching|moving|migrating|refactoring|installing|following|downgrading|renaming)\b.{0,60}?(?:{ill}|{not} (?:{work}))
so much for (?:the|that|your|this) (?:\w+ )?(?:fix|patch|solution|change|update|refactor\w*|suggestion|improvement)
(?:whatever|what) you (?:did|changed|touched|pushed|broke)\b.{0,60}?(?:{fail}|{not} )
(?:revert|reverted|reverting|undo|undid|undoing|without|roll(?:ed|ing)? back|disabled|removed|with) (?:your|that|the last|the latest|his|her) (?:\w+ )?(?:{fix})\b.{0,60}(?:works?|fine|passes|ok|gone|{fail})
(?:one|1) (?:fix|step|bug)(?: forward)?[ ,]+(?:\w+ )?(?:two|2|three|more|another|new)
(?:the|this|that|last|latest|previous|recent|first|new|yesterdays|mondays|todays|last \w+) (?:\w+ ){0,2}(?:fix|hotfix|bugfix|patch|workaround|suggestion|solution|refactor\w*|rewrite|rollback) {so}(?:didnt|doesnt|did not|does not|hasnt|has not|isnt|never|wont|failed|made|broke|breaks|has broken|caused|introduced|undid|reverted|removed|got \w+|lost|is gone|is lost|(?:was|has been|have been|were) (?:lost|overwritten|reverted|undone|removed|dropped|wiped|deleted|rolled back)|changed nothing|does nothing|did nothing|messed|ruined|killed|only|was not enough|wasnt enough|isnt enough|isnt working|not working|not hold|didnt survive|didnt stick|was useless|is useless|no effect)
(?:that|this|the last|the latest|last|latest|previous|recent|my last|his|her|their|the \w+) (?:{fix}) (?:just |has |have |also |completely |really )*(?:broke|breaks|broken|killed|ruined|messed|introduced|caused|undid|reintroduced|trashed|borked|wrecked)
^{hmm}(?:that |this |it |which |still |both |none of (?:that|it|them|these) |neither )*(?:didnt|doesnt|did not|does not|hasnt|wont) (?:actually |really |even |quite |seem to )?(?:fix|solve|resolve|help|cure|address)\b
^{hmm}(?:that |this |it |which |also |even that |nope,? )*(?:didnt|did not) (?:\w+ly |even |quite )?(?:work|change|do|make)\b
(?:didnt|doesnt|did not|does not|hasnt) (?:actually |really |even )?(?:fix|solve|resolve) (?:it|this|that|the|my|anything|a thing|all)
(?:isnt|is not|not|wasnt|never|never actually|not really|not actually|nothing is|nothing was|hardly) (?:really |actually |properly |yet )?(?:fixed|solved|resolved)\b
nothing (?:has |was |is |really |at all )*(?:changed|fixed|different|improved|helped|works)
^{hmm}(?:there is |theres |it made |makes |made |absolutely |zero |still |with )*(?:no|zero) (?:change|difference|effect|improvement|luck|progress|dice|joy)\b
(?:made|makes|making|its|it is|even|got|gets|getting|now|is|things are|much|far) (?:it |things |this |everything |even |much |now |far )*worse
worse than (?:before|ever|yesterday|the (?:old|last|previous))
(?:{ill}|{not} (?:{work})) {so}(?:ever since|since|after|because of|due to|thanks to|following|as of|with) (?:your|the last|that last|the latest|the recent|this last|last|yesterdays|todays|that|this|merging|upgrading|updating|rebasing|the|my) (?:[\w.-]+ ){0,3}?(?:{fix}|merging)\b
(?:ever since|since|after|because of|thanks to|with|following) (?:your|the last|that last|the latest|the recent|this last|last|your last|yesterdays|that|this) (?:\w+ ){0,2}?(?:{fix})\b.{0,60}?(?:{fail}|{not} )
{not} (?:\w+ ){0,4}(?:{work}) (?:\w+ ){0,4}(?:since|after) (?:your|the (?:last|latest|recent)|that|last) (?:\w+ )?(?:{fix})
(?:thought|believed|assumed|hoped|sure|certain|convinced|told|impression) {gap}(?:{gap})(?:fixed|solved|resolved|done|dealt with|handled|gone|sorted|settled|closed|behind us|addressed|taken care)
(?:didnt|havent|hadnt|werent|wasnt|isnt|arent|did) (?:we|you|i|this|that|it|they) (?:already |just |all |not )*(?:supposed to (?:be )?|meant to (?:be )?|going to )?(?:fix|fixed|solve|solved|resolve|resolved|done with|dealt with|deal with|settle|closed?|past|over|patched?|sort|sorted|addressed?|handled?)\b
you (?:just |have |had |ve |literally )*(?:said|claimed|told (?:me|us)|promised|swore|assured (?:me|us)|wrote|insisted|confirmed|announced) .{0,50}(?:fixed|fix|solved|resolved|gone|works?|done|working|passing|pass|green|ready|wouldnt|would not|isnt|corrected|handled|sorted|complete)
you(?:ve| have| just)* (?:\w+ly )?fixed (?:\w+ ){0,4}(?:but|and now|only to|yet)\b
(?:we|i) (?:already |just |have |ve |had |supposedly |literally )*(?:fixed|solved|resolved|repaired|patched|corrected|closed) (?:this|that|it|them|these|exactly this)(?: exact| same| very)?(?: one| bug| issue| problem| error| thing)? (?:already|before|once|twice|{when})[.!?]*$
(?:we|i)(?: have|ve|d)? already (?:fixed|solved|resolved|patched|dealt with|handled|corrected) (?:this|that|it|exactly)\b[^,]{0,20}[.!?]*$
(?:fixed|solved|resolved|repaired|corrected) (?:\w+ ){0,5}(?:but|and|yet|only|still|, (?:broken|fails|now|but|yet))[ ,]+{so}(?:{fail}|{not}|back|again)
supposed to (?:be|have been) (?:fixed|solved|resolved|gone|closed|done)
(?:tried|applied|followed|did|used|ran|pulled|merged|installed|took|implemented|pasted|copied) (?:your|that|the|it|this|both|all|everything|exactly|what|these|those)\b.{0,60}(?:same|still|no luck|no difference|no change|doesnt|didnt|wont|cant|isnt|nothing|{fail})
one step forward
fix(?:ed|es|ing)? one (?:\w+ ){0,6}(?:another|other|two|breaks?)

# return | resurf | resurrect | reappear | reintro | reocc | recur | came back | come back | is back | back | are back | haunt
(?:crept|creeping|creeps|sneaked|snuck|slipped|slid|sliding|(?:made|found) (?:its|their) way|popped) back
(?:goes|went|gone|falls|fell|fallen|flips|flipped|resets?|jumps?|jumped|rolled|switched itself|reverts?|reverted|keeps going) back to (?:the |its |being )?(?:old|wrong|default|previous|broken|original|zero|empty|factory|english|red|light|first)
(?:{ill}|it|that|this|these) (?:still |just )*(?:isnt|is not|hasnt|has not|arent|wasnt|didnt|does not|doesnt|wont) (?:really |actually |ever )?(?:gone|go away|going away|disappear\w*|went away)
reopening (?:this|the (?:issue|ticket|bug))
(?:{thing}|[45]\d\d|\w+error)s? (?:\w+ ){0,6}?(?:has|have|had|just) returned
(?:reappear(?:s|ed|ing)|resurfac(?:es|ed|ing)|resurrect(?:ed|s)|reintroduc(?:ed|es|ing)|re-introduc(?:ed|es)|reoccur(?:s|red|ring)|re-occur(?:s|red)|recurred|come back to haunt)
(?:{thing})s? (?:[\w-]+ ){0,6}?(?:is|are|has come|have come|came|has|just came|comes|come|s|was|went|keeps coming) back
(?:the|that|this|same|flaky) (?:[\w-]+ ){0,4}(?:came|has come|have come|comes|come|coming) back
(?:the|that|this|these|those|our|old|my) (?:[\w-]+ ){1,4}?(?:is|are|was|were) back(?:$|[.!?,]| (?:on|in|at|with|after|since|again|for|to haunt|and))
why (?:is|are|was|were|did) (?:[\w-]+ ){1,4}?(?:back|alive|still here|returning|come back)
(?:{thing})s? (?:[\w-]+ ){0,4}?(?:is|are) (?:alive|live|with us) again
^{hmm}(?:its|it is|theyre|they are|theyve come|it came|it has come|that ones|and its|guess whos|guess what is|look whos) back\b
(?:were|we are|im|i am|its|it is|and|now|right|straight|all the way) back (?:to|at|where|in) (?:the |a |being |its |our |zero|square|where|old|broken|failing|infinite|red)
back to square one
back to (?:being |the )?(?:broken|failing|crashing|infinite|red|zero|500s?|nothing)
(?:{thing}|it|this|that|mistakes?) (?:has |just |already )*returned (?:with|in|after|on|since|again)

# before | yesterday | earlier | last | this morning | ago | until | used to | anymore | any more | no longer | stopped | working | passed | worked | on monday | on friday | once
(?:bug|issue|error|problem|mistake|crash|thing|case|failure|exception|warning|behaviou?r) (?:that |which )?(?:i|we|you) (?:just |already |had |have |ve |once )*(?:reported|fixed|mentioned|described|told|showed|warned|flagged|raised|filed|closed|pointed|solved|resolved|discussed|talked|had|saw|hit|complained)
(?:thats|that is|this is|its) (?:exactly |just )?what (?:you|we|i|it) (?:said|did|had|tried|told|claimed|wrote)\b
(?:exactly |just |precisely |still )?what it (?:was|did|said|looked like|used to)\b.{0,20}(?:before|yesterday|earlier|last|originally)?
(?:worked|ran|passed|(?:was|were) (?:all )?(?:fine|ok|green|passing|working|good|stable|correct|fast)|used to work|built|loaded) (?:\w+ ){0,3}?(?:until|till|up to|before) (?:your|you (?:\w+ed|broke|did|made|went|wrote|came)|the last|that|this|we|i|the (?:re\w+|merge|update|upgrade|change|commit|deploy\w*|migration))
(?:it|this|that|everything|ci|build|all|the [\w-]+) was (?:\w+ )?(?:green|fine|ok|working|passing|fast|good|clean|correct|stable|up) (?:just )?(?:{when}|before|until|till|\w+ (?:minutes?|hours?|days?|weeks?) ago)
(?:worked|working|passed|passing|was fine|were fine|was ok|was okay|was green|were green|ran|loaded|built|compiled|succeeded|was good|was all good|was correct|returned|green|fine)(?: \w+){0,3} (?:{when}|this (?:morning|afternoon|week)|until|till|up to|up until|the whole time|all (?:day|week))\b.{0,60}?(?:{fail}|{not} |\bnow\b|today|anymore)
^{hmm}(?:it|this|that|everything|all (?:of )?(?:it|this|that|tests|the tests)|the [\w-]+(?: [\w-]+){0,2}|these|those|they|[\w-]+ \w+|stuff) (?:all |just |still )*(?:worked|was working|were working|passed|were passing|was passing|was fine|were fine|was green|used to (?:work|pass|be)) (?:\w+ ){0,3}(?:{when}|until|till|up to|before)
(?:it|this|that|they|everything|which|stuff|things|tests?|the [\w-]+) used to (?:work|pass|be|take \S+|load|compile|just work|run fine)\b
(?:suddenly |just |has |have |now |all )*stopped (?:\w+ly )?(?:working|responding|loading|rendering|building|compiling|passing|showing|updating|sending|firing|connecting|syncing|starting|appearing)
(?:{not}) (?:\w+ ){0,3}?(?:{work})\b.{0,25}? (?:anymore|any more|any longer)
no longer (?:\w+ly )?(?:work|show|appear|load|start|open|render|compile|build|respond|connect|save|pass|fire|sen[dt]|recogni|found|log|submit|sync|resolve|find|arriv|trigger|pick|reload|scroll)\w*
(?:weve|we have|we|ive|i have|i|you|youve) (?:already |just |literally |definitely |clearly )*(?:seen|had|been through|gone through|been over|gone over|hit|discussed|talked about|covered|went through|went over) (?:this|that|the (?:exact |very )?same|exactly (?:this|that)|it)(?: exact| very| same| whole)?(?: \w+)? ?(?:before|already|in \w+|last|once|twice|yesterday|earlier|times|multiple|a (?:hundred|million|thousand))
(?:been through|been over|been here) (?:this|that|before|already)
(?:one|two|three|a few|\d+) (?:messages?|turns?|minutes?|commits?|prompts?|steps?) ago
(?:just|literally) (?:fixed|told|said|asked|explained|did|went through|agreed|talked) .{0,40}(?:ago|before|already|earlier)

# told | said | asked | explained | instruct | clear | agreed | warned | rule | ignored | although | even though | despite | listen
(?:as|like) i (?:have |already |just |ve )*(?:said|told you|mentioned|explained|asked|wrote) (?:already |now |earlier |\w+ )?(?:twice|before|already|(?:two|three|four|several|many|\d+) times|repeatedly)
i (?:asked|told|begged|instructed|reminded) (?:you|u) (?:explicitly |specifically |clearly )?(?:not to|to stop|to never)\b
i asked (?:you )?not\b
(?:you|u) (?:have |ve )?(?:gone|went|are) back to (?:using |the )?\w+
what (?:you|i|we) (?:said|told|asked) (?:\w+ )?(?:last time|before|yesterday|earlier|twice|already|the last time)
(?:we|i) (?:just |already |did )?(?:talked|spoke|went over|agreed|discussed)(?: about)? (?:this|that|it)\b
(?:keep|kept|keeps) having to (?:remind|tell|ask|say|repeat|fix|correct|undo|revert|explain)
(?:making|made|make) (?:exactly |just |precisely )?(?:the|that) (?:very |exact |same )*(?:mistake|error) (?:i|we)
i (?:have |ve |d )?(?:already |literally |repeatedly |just |clearly |explicitly |specifically |again |did )+(?:tell|told|ask|asked|said|say|explain|explained|mention|mentioned|warned|instructed|specified|wrote|state|stated|request|requested)
(?:told|asked|warned|instructed|reminded|begged) (?:you|u)(?: \w+)? (?:not|twice|before|already|several|three|many|yesterday|earlier|last|never|to stop|to never|\d+ times|a \w+ times|to use|that|repeatedly|explicitly|specifically|once)
you (?:keep |just |again |still |completely |once again |have |ve |simply |totally )*(?:ignor\w+|disregard\w*|didnt listen|dont listen|never listen|forgot|violat\w+) (?:what|my|the (?:rule|instruction|request|convention|constraint|style|lint)|our|me|that|everything|agents|claude)
we (?:already |had |have |just |clearly )*(?:agreed|decided|discussed|settled|established) (?:\w+ ){0,6}(?:already|before|not|yesterday|earlier|last|never)
(?:although|even though|though|despite) (?:i|we|you) (?:\w+ ){0,3}(?:asked|told|said|fixed|added|agreed|promised|repaired|solved|explicitly|already|agreed)
how (?:often|many times) (?:do|must|should|will|have) (?:i|we)

# you
you(?:ve| have| had)?(?: \w+ly| just| now| also| even| then| went and)* (?:broke|broken|ruined|messed up|trashed|borked|destroyed|screwed up|wrecked|killed)\b
(?:mistakes?|errors?|bugs?|mess) (?:that |which )?you(?:ve)? (?:made|introduced|make|keep|left|caused|created)\b
you(?:ve| have| just| again| had)* (?:changed|set|put|moved|switched|rolled|turned|renamed|brought|went|gone|flipped|swapped) (?:[\w-]+ ){0,4}?back\b
you (?:didnt|did not|dont|do not|never) (?:listen\w*|learn\w*|follow\w*|pay attention|remember\w*|respect\w*) ?
why did you (?:\w+ )?(?:ignore|forget|undo|revert|break|skip|disregard)\b
you(?:ve| have| just| already| had| again| silently| simply)* (?:undone|undid|reverted|overwrote|overwritten|reintroduced|rolled back|clobbered|wiped|trashed|discarded|threw away) (?:\w+ ){0,2}(?:my|our|the (?:fix|change|changes|edit|work|patch)|all|what|everything|his|her)

# stop | quit
(?:stop|quit) (?:making|doing|repeating|breaking|removing|deleting|reverting|ignoring|touching|changing|overwriting|messing|rewriting|renaming|adding|reformatting|guessing|inventing|hallucinating) (?:\w+ ){0,4}(?:mistakes?|things?|up|tests?|my|our|the same|that|this|it|everything|stuff|api|files?|code|comments?|random)`,
		marks: `
again
once again
yet again
still \w+
(?:the|that|this|exact|exactly the) (?:very |exact )?same (?:[\w-]+ )?(?:{ill})s?`,
		never: `
^{please}(?:{order}|design|document|draft|post|translate|rephrase|announce|tweet|email)\b[^:]{0,80}: 
^(?://|#|--|/\*|<!--)
\b(?:he|she|they|someone|the (?:customer|client|user|reviewer|tester|pm|boss|manager|colleague|vendor|support)) (?:said|says|asked|asks|wonders?|wants to know|claims?|claimed|wrote|writes|told (?:me|us)|reports?|reported|mentioned)\b
\b(?:linear|logistic|ridge|lasso|polynomial|quantile|poisson|cox|multivariate|multivariable|multiple|stepwise|bayesian|gaussian|nonlinear|non-linear|least squares|symbolic|kernel|softmax|elastic net|isotonic|ordinal|beta|spline) regression
\bregression[- ](?:tests?|testing|suites?|analysis|analyses|models?|coefficients?|lines?|curves?|plans?|checks?|pipeline|jobs?|ci|runs?|tasks?|heads?|loss|targets?|layers?|algorithms?|equations?|coverage|harness|baselines?|trees?|formula|slope|imputation|discontinuity|diagnostics|output|assumptions?|framework|packs?|scripts?|cycles?|label|window|bench\w*)
\bregress(?:ion|ing|ed|or)?\b.*\b(?:residuals?|coefficients?|r2|r²|r-squared|p-values?|dataset|sklearn|scikit|statsmodels|predict\w*|outliers?|variables?|covariates?|samples?|intercept|standardi[sz]e|overfit\w*|features|data points)\b
\b(?:residuals?|r2|r²|r-squared|sklearn|scikit|statsmodels|predict\w*|outliers?|fit|covariates?|correlation|classification) .*\bregression\b
\b(?:no|any|without|avoid\w*|prevent\w*|against|catch\w*|detect\w*|find\w*|zero|potential|possible|future|guard\w*|check for|look\w* for|watch\w* for|introduc\w+ (?:a|any|new)|caus\w+ (?:a|any)|risk of|scan for|label\w*|called|word|term|tag|type|template for|list of|definition of|meaning of|for) (?:\w+ ){0,2}?regressions?\b
\b(?:what is|whats|what does|define|explain) (?:a |an |the term |the word )?(?:\w+ )?regression
\b(?:make sure|ensure|making sure|to avoid|to prevent|so as not|in order not|avoid (?:the|this|these|that|repeating|making)|guard against|never again|guarantee|to make it|so that (?:it|this|we|the)|so (?:it|this|we) (?:doesnt|dont|wont|never))\b
\bhow (?:can|do|could|should|would) (?:we|i|you|one) (?:avoid|prevent|stop|keep|make sure)\b
\b(?:translate|rephrase|proofread|draft|reply|write (?:a|an|the|me)|letter|email to|article|blog post|essay)\b.*\b(?:users?|customers?|clients?|complain|reader|into|in) \b
\bwhat (?:does|do|did|is meant by) .{0,60}\b(?:mean|refer|stand for|say|print|output)\b
\b(?:in the |the |a )(?:quiz|game|puzzle|exam)\b.*\b(?:player|user|student|answer)`,
		before: `
\b(?:if|whether|unless|in case|in the event|suppose|supposing|assume|assuming|imagine|what happens|what should happen|provided|lest|even when|as long as|once (?:it|we|you|i|they|the|this|that|all|done)|as soon as)\b
^(?:until|till)\b
\b(?:will|would|may|might|can|could|should|ll|must|to) (?:no longer|still)\b
\b(?:keep|wait|run|loop|retr|repeat|continue|poll|try|skip|hold|block|sleep)\w* (?:\w+ ){0,6}?(?:until|till)\b
\bwhen(?:ever)? (?:[^\s,]+ ){0,4}(?:{fail}|the same|again)
\bwhen(?:ever)? (?:a|an|any|some|the|this|it) (?:[^\s,]+ ){0,5}(?:again|same|twice|{nth} time)
^(?:should|would|could|will|may|might|shall) (?:it|this|that|the|they|a|an|any)\b
\b(?:should|must|shall|may|might|could|would|will|can|wont|shouldnt|mustnt|to|not|never|let|lets|please|allowed to|able to|want|wants|need|needs) (?:\w+ )?(?:\w+ ){0,2}?(?:{order}|{maybeorder}|happen|occur|appear|reappear|return|crash|break|fail|try|log in|login|sign in|ask|reconnect|submit|use|have|be|go|come|happen)\b (?:\w+ ){0,5}again
\b(?:might|may|could|would|should|must|shall|will|never|wont|not|doesnt|dont|didnt|isnt|arent|no longer|cannot|cant) (?:\w+ ){0,2}?(?:fail|break|crash|error|happen|occur|regress|hang|panic|throw|leak|freeze|flake|repeat|reappear|come back|return|failing|breaking|crashing|broken|red|regressed|leaking|happening|time out)(?: \w+){0,3}$
^{please}(?:{order})\b
^{please}(?:{maybeorder}) (?:{object})\b
^(?:{please})?(?:dont|do not|never|no need to|lets not|stop|avoid)\b (?:{order}|{maybeorder}|be|have|use|make|go|touch|worry|bother|forget|retry|let|it)
\b(?:the|a|that|an) (?:test|job|build|run) fails again\b
^(?:is|are|was|were|does|do|has|have|did|can|could|will|would) (?:it|you|i|he|she|this|that|they|the|these|there|any|anyone|everything|we|all|your|my|our)\b.*\bstill\b
\bstill (?:need|needs|want|wants|have to|has to|having to|learning|waiting|reading|working on|thinking|use|uses|using|support|supports|supported|plan|planning|open|possible|valid|relevant|worth|todo|to do|unsure|considering|writing|missing (?:is|are|the docs)|in progress|deciding|looking for|new to|like|prefer|enjoy|love|remember|recommended|required|needed)\b
\b(?:im|i am|we are|were|i|we) (?:\w+ )?still (?:not|dont|havent|cant|didnt|no) (?:\w+ )?(?:sure|certain|know|understand|decided|convinced|clear|get how|see (?:how|why|the point)|want|need|started|finished|done|written|read|tested|reviewed|have time|have a|like|familiar|used to)\b
\b(?:thanks|thank you|hi|hello|hey|welcome|cheers|nice|see you|bye|congrats|good|great job) (?:\w+ ){0,3}again\b
(?:^|\b(?:it|its|this|that|everything|all|all of it|now|is|are|was|they|which|and|finally|tests?|builds?|page|app|site|server|ci|things|stuff|the [\w-]+) )(?:works?|working|worked|pass(?:es|ed|ing)?|green|fine|ok|okay|good|online|available|happy|clean|stable|healthy|possible|readable|fast|up and running|back up|correct|smooth\w*|nice|perfect\w*|normal\w*|usable)(?: \w+)? again\b
\b(?:user|client|player|customer|visitor|admin|student|worker|browser|someone|somebody|people|guest)s? (?:\w+ )?(?:logs?|sign|signs|submits?|clicks?|opens?|visits?|enters?|tr(?:y|ies)|comes?|returns?|goes|go|asks?|connects?|registers?|plays?|requests?|selects?|presses|uploads?|starts?|joins?|fetch\w*|loads?|types?) (?:[^\s,]+ ){0,5}again\b
\b(?:user|client|player|customer|visitor|guest|he|she|i|we)s? (?:\w+ )?(?:comes?|came|coming|returns?|is|are|gets?|logs?|goes|navigates?|switch\w*) back\b
\b(?:everyone|everybody|people|they|articles|tutorials|docs|loop|worker|server|process|thread|timer|goroutine|counter|daemon|cat|dog|kid) keeps? (?:on )?(?:\w+ly )?(?:recommend\w*|say\w*|talk\w*|mention\w*|run\w*|poll\w*|wait\w*|listen\w*|spin\w*|track\w*|go\w*|work\w*|ask\w*|process\w*|accept\w*|serv\w*)
\bkeeps? (?:(?:working|going|improving|passing|polling|listening|waiting|moving|up)\b|running(?: (?:until|while|after|in|for|as|and|on|when)\b|$))
\b(?:use|uses|using|return|returns|raise|raises|throw|throws|apply|reuse|print|prints|copy|share|shares|has|have|display|displays|emit|do|show|shows|log|logs|follow|follows|produce|give|render) (?:the |exactly the |a )?same \w+
\b(?:the|a|that|an) (?:previous|other|old|former) (?:developer|team|guy|maintainer|contractor|owner|author)\b
\b(?:fixed|solved|resolved|working|works|passing|green|gone|passes) (?:now|again|thanks|finally)\b
\bis back (?:up|online)\b
\b(?:did|does|has) (?:it|this|that|the \w+)(?: \w+)? (?:fix|work|help|change|pass)\b
\b(?:how many times|how often) (?:do|does|did|has|have|should|is|are|will|must|can) (?:a|an|the|each|every|it|this|that|one|users?|someone)\b
\b(?:called|clicked|invoked|fires?|runs?|rendered|loaded|visited|pressed|visits|logs in|on) (?:a|the|for the|for a) (?:{nth}) time
\b(?:{nth}) time (?:is|through|zone|step|slot|series|you (?:call|click|press|run)|the (?:user|function|button|page|handler|client|method|loop|callback|job|component)|a |an |someone|users?)
\b(?:previous|other|old) (?:one|version) (?:that )?worked\b
\bwhat (?:worked|was working)\b`,
		after: `
[ -]?(?:up|online|to normal|in stock|from (?:vacation|holiday|lunch)|home)\b
 (?:sure|certain|decided|convinced|familiar)\b
 (?:\w+ )?(?:needed|required|to|necessary|expected|planned)\b
 (?:test|tests|testing|suite|suites|analysis)\b
 (?:the same|a|an) (?:way|pattern|style|convention) as\b`,
		harmless: `
^\W*(?:[^\s]+ ){0,2}again\W*$
^{hmm}(?:is|are|was|were|am|do|does|did|has|have|had|can|could|will|would|should|shall|may|might|must|what|when|where|who|whom|which|whose|how|while|though|although|since|because|as|given|after|before)\b
^{hmm}(?:i|we|im|ill|ive|id|weve|well|wed|he|she|hes|shes|someone|somebody|nobody|everyone|one|users?|people|whoever|lets|let|not|no|yes|there)\b
\b(?:should|must|shall|may|might|could|would|will|can|to|let|lets|please|want|wants|need|needs|if|until|unless|once (?:it|the|we|you)|try|trying|going to|gonna|supposed|able|ready|tomorrow|later|next (?:week|time|day|month|year)|someday|soon|and again|over again|repeat\w*)\b
^{hmm}\w+ing (?:it|that|this|them|the|a|all|everything|again|still)\b
\b(?:works?|worked|working|pass(?:es|ed|ing)?|green|fine|ok|okay|good|great|online|available|possible|happy|clean|stable|healthy|readable|normal\w*|usable|smooth\w*|correct|perfect\w*|awesome|cool|nice|nicer|thanks|thank|thx|hi|hello|hey|welcome|back up|up and running|alive|succeed\w*|success\w*|better|best|faster|cheaper|easier|simpler|useful|valid|true|relevant|worth|open|pending|running|progress|draft|beta|alpha|experimental|wip|early|young|new|fresh|fun|love|like|prefer|recommend\w*|appl(?:y|ies)|holds?|stands?|depends?|maintained|supported|supports?|used|uses?|using|needed|required|interested|undecided|planned|expected|allowed|scheduled|based|included|active|on it|a thing|under|unclear|unsure|curious|confused|lead\w*|learning|reading|waiting|writing|working on|thinking|considering|lives?|exists? for|left|to do|todo|to go|missing (?:docs|documentation|tests)|popular|common|alright|reachable|intact|present in|enough|lots|plenty|time|room|green)\b
\b(?:user|client|player|customer|visitor|admin|student|someone|somebody|people|patient|guest|reader)s? .*\b(?:again|still)
\b(?:called|invoked|executed|triggered|computed|evaluated|fetched|mounted|rendered|read|asked|needed) again\b
\b(?:you|we) (?:can|could|will|would|may|might)\b
\bstill (?:\w+ )?(?:be|have|not|in|on|at|of|the|a|an|my|our|your|i|we|you|and|or|but|for|from|with|by|very|quite|pretty|more|less|need|needs|want|wants|keep|keeps|kept|looking|getting started|going|doing|standing|water|image|images|life|frame)\b`,
	}.compile()
})

// koreanComplaints finds complaints in Korean, also where English words are mixed in.
var koreanComplaints = sync.OnceValue(func() grammar {
	return script{
		words:  korean(),
		clause: `[,;:()]|(?:는데|은데|건데|인데|니까|지만|더니|거든요?|고요|구요|잖아요?|[졌됐났했었았렸웠쳤꼈혔켰갔왔]어|네요?|어요|아요|해요|돼요|니다|[했졌났었]음|됨|구나) `,
		phrases: `
# 또 | 재차
(?:^|[\s,.(!?~])(?:또다시|또|재차) {gap}(?:{bad}|{not})
(?:^|[\s,.(!?~])또 {gap}(?:{hurt})\S*(?:네|냐|잖|지|니|어|아|구나|음|군|는데|죠|$)
(?:^|[\s,.(!?~])(?:또다시|또) ?(?:이래|그래|그랬|이러|그러|저러|저래|이런|그런|시작|발생|나왔|나오|나와|나옴|나네|나요|남|났|나타|떴|떠|뜨|뜬|뜸|뜹|생겼|생기|생김|생긴|반복|재발|똑같|같은|동일|비슷한|그 ?(?:문제|에러|오류|버그|증상|소리|말|얘기|짓|실수)|이 ?(?:문제|에러|오류|버그|증상|짓|난리|모양|꼴|지랄|상황|실수)|도졌|도지|걸렸|당했|낚였|말썽|헛|이거|이거야|그거|왜|똥|지랄)
(?:^|[\s,.(!?~])(?:아|하|와|헐|진짜|뭐야|어라|어|이런|아니|에휴|야|ㄹㅇ|이거|얘|왜|정말|설마|혹시나|역시)? ?(?:진짜|정말|왜)? ?또(?:야|네|냐|임|요|예요|에요|니|라고|라니|지|죠|군|잖아)?[?!.]*$
(?:{bad})\S* 또[?!.]*$
또 (?:고쳐야|고치|롤백|되돌려야|수정해야|처음부터|반복해야|설명해야|말해야|봐야)
또 \S+(?:이|가|을|를|은|는)? ?(?:깨|에러|오류|문제|말썽|안|못)
(?:사고|말썽|버그) ?(?:또 )?(?:쳤|냈|났)\S*
(?:\S+(?:일|주|주일|달|시간)째|사흘째|나흘째|이틀째|며칠째|일주일째|몇 ?(?:일|시간|주)째|하루 ?종일|온종일) {so}(?:{bad}|{not}|같은|똑같|그대로|삽질|헤매|이러)
(?:{bad}|{not})\S*,? (?:\S+ ){0,2}?(?:\S+(?:일|주|주일|달|시간)째|사흘째|나흘째|이틀째|며칠째|일주일째|하루 ?종일)

# 여전히 | 아직 | 계속 | 자꾸 | 매번 | 맨날 | 만날 | 항상 | 번번이 | 매일 | 허구한 | 줄곧 | 몇 번이고 | 툭하면 | 걸핏하면 | 끊임없이 | 주구장창 | 연속 | 연달아 | 반복 | 수시로 | 지금도 | 도 | 역시
(?:^|[\s,.(])(?:{still}) {gap}(?:{bad}|[안않] ?[돼되됨됩됐된됌댐])
(?:^|[\s,.(])(?:여전히|아직도|계속|자꾸|매번|맨날|이번에도|오늘도|지금도|번번이|툭하면) {gap}(?:{not})
(?:^|[\s,.(])(?:여전히|아직도|아직까지|아직|계속해서|계속|자꾸만|자꾸|매번|맨날|이번에도|오늘도|지금도) {gap}(?:같은|똑같|동일|그대로|마찬가지|발생|재현|남아 ?있|존재|이 ?모양|이 ?꼴|뜨[네는고냐]|뜬|떠|뜸|뜹|나[와네옴옵]|나오[네는고냐]|이래|그래|이러|그러|이런|반복|들어[와온오]|튀어|걸[려리]|돌[아려]|헤매|물어보|묻|요구|남[네음])
(?:^|[\s,.(])(?:계속|자꾸|맨날|매번|번번이|항상|만날|툭하면) {gap}(?:{hurt})\S*(?:네|냐|잖|니|어|음|는데|는 ?거|죠|지|군|나요|까)
(?:^|[\s,.(])(?:그래도|이래도|그런데도|근데도) {gap}(?:{bad}|{not})
안 ?된다(?:니까|고요|구요|고 ?했)
번째 \S+(?:인데도|인데|했는데|했는데도|이야|인데요) {gap}(?:{bad}|{not}|같은|똑같|여전)
(?:반복적|지속적|연속적|고질적|상습적)(?:으로|인|이)? {gap}(?:{bad}|{not}|발생|나타|나[고는네와]|재현)
(?:{bad}|문제|이슈|증상|현상)\S* {gap}다시 (?:나[오온옴왔와네]|나타|났|남|난[다대]|뜨|떴|뜬|뜸|발생|생[겼기김]|보[이여]|시작|터|올라|등장|도졌)
(?:왜|어째서) {so}(?:반복|되풀이)
(?:계속|자꾸|또|같은|똑같은|비슷한|동일한|매번) {gap}(?:반복|되풀이)(?:돼|되|하[네고는냐지]|해|했|됨|된|됩|시)
(?:^|\s)(?:계속|자꾸)(?:\s?\S{1,6})?(?:네|냐|잖아|냐고)요?[?!.]*$
(?:{bad}|{not})\S* (?:계속|자꾸|여전히|아직도|매번|맨날)\S*[?!.]*$

# 왜
왜 {so}(?:자꾸|계속|또|맨날|만날|여전히|아직도|번번이|툭하면|허구한 ?날|그대로)(?: [^,]*)?[?!.]*$
(?:^|[\s,.(])(?:언제까지|언제쯤|언제면) {gap}\S*(?:거야|건가|는지|려나|나요|까요?|냐|니)\S*
(?:지긋지긋|지겹|질렸|질린다|신물)
(?:이럴|그럴|또 그럴) ?줄 ?알았
(?:변함없이|한결같이|어김없이|예외 ?없이|기어이|기어코|결국 ?또|역시나) {gap}(?:{bad}|{not})
(?:나 ?싶더니|는 ?듯하더니|것 ?같더니|는가 ?했더니|나 ?했더니)
(?:재오픈|리오픈|다시 ?오픈)(?:합|했|해요|함)
왜 {so}(?:자꾸|계속|또|맨날|만날|여전히|아직도|번번이|툭하면|허구한 ?날|그대로)
(?:매번|계속|또|일일이|언제까지|맨날) {gap}(?:말|얘기|설명|지적|알려|부탁|고쳐|확인|수정)(?:해|해줘|을 해|를 해)? ?(?:줘야|야|해야)\S*
(?:배포|릴리[즈스]|머지|푸시|빌드|수정|고칠|고치|커밋|업데이트|손댈|건드릴|리팩터?링?|재시작|요청|말|시킬|바꿀|바뀔|돌릴|실행할|켤|띄울|합칠|풀|재부팅)\S*(?: ?할)? ?(?:때 ?마다|마다|면 ?맨날|면 ?꼭) {gap}(?:{bad}|{not}|같은|똑같|이 )
왜 {gap}(?:매번|항상|다시|반복해서|재차|매일) {gap}(?:{bad}|{not})
(?:자꾸|계속|또|맨날|매번|아직도|여전히) {gap}왜 (?:이|그|저|안|못|\S+지)\S*

# 다시 | 도로
다시 {gap}(?:바꿔|돌려|되돌려|써|넣어|만들어|지워|고쳐|옮겨|꺼|켜) ?(?:놨|놓)\S*
다시 (?:한 ?번 )?(?:말하|말씀드리|얘기하|강조하|부탁하)(?:지만|는데|건대)
(?:^|[\s,.(])(?:다시|도로) {gap}(?:{bad}|[안않] ?[돼되됨됩됐된됌댐]|안 ?(?:열|나|뜨|떠|보|먹|켜|들|넘|움직|돌))
(?:^|[\s,.(])다시 (?:나타[났나]|나왔|나오[네는]|나와|생[겼기김긴]|시작됐|시작되|시작했|발생|재발|돌아[왔가갔]|살아[났나]|튀어|올라왔|뜨[네기]|떴|도졌|재현|등장|터|말썽|원래대로|원상|예전)
(?:원래대로|예전으로|옛날로|원점으로|처음으로|이전 ?상태로|도로) (?:돌아[왔갔가온]|되돌아|복구됐|원복|돼|됐)
도로(?:묵| 아미| 그대로| 원)
(?:원점|제자리걸음|도돌이표|쳇바퀴|무한 ?루프에 ?빠|뫼비우스|첩첩산중)

# 고쳤 | 고친 | 고쳐 | 고치 | 고침 | 수정 | 해결 | 잡 | 픽스 | fix | 패치 | 손본 | 손봤 | 처리 | 막 | 조치 | 복구 | 끝 | 됐 | 된 | 되 | 통과
(?:한다|된다|했다|됐다|고쳤다|끝났다|다)던 \S+ {gap}(?:{bad}|{not})
(?:이번에도|매번|맨날|결국|또) {gap}(?:내가|직접|제가) {gap}(?:고[쳤치]|수정|바꿨|했|넣었|되돌)\S*
(?:이젠|이제는?|이번엔|이번에는|오히려) (?:다른|딴|아예|아무것도|멀쩡하던|잘 ?되던) {gap}(?:{bad}|{not})
(?:네|니|님|너의) ?(?:수정|패치|코드|변경|픽스|답변|제안|방법|해결책)\S* {gap}(?:\S*만|\S*밖에|안|못|효과|소용|틀|깨|망)
(?:이전|아까|어제|지난|저번|방금|내|제|우리|기존) ?(?:\S+ )?(?:수정|변경|작업|커밋|코드|패치|설정)(?:이|가|사항|본|한 ?게|된 ?게|분|은|도)? {gap}(?:덮어|사라|날아|날라|없어[졌져]|되돌|롤백|원복|증발)
(?:버그|문제|오류|에러|증상|이슈|누수|현상|경고)(?:가|이|는|은|도)? {gap}(?:안|않|못) ?(?:없어|사라|고쳐|잡히|잡혀|해결|떨어|나아)
(?:{fixed})\S*(?: ?거)?(?:잖|다며|다면서|다더니|대매|다메|라며|라면서|라더니|길래|줄 ?알|거 ?아니|거 ?아녔|거 ?아님|것 ?아니|거였|거라며|던 ?거|는 ?줄)
(?:{fixed})\S* (?:줄 ?알|거 ?아니|거 ?아녔|거 ?아님|것 ?아니|거잖|거라며|줄)\S*
(?:고[쳤친]|수정 ?(?:했|됐|한)|해결 ?(?:했|됐|한)|끝났|완료|완료했|처리 ?했|fix ?했|됐|된)다고 ?(?:했|하셨|하더니|하지 ?않|하지않|해 ?놓고|해서|그랬|말했|한 ?거|하던|해 ?놓|보고|하고)
(?:고[쳤친]|고쳐[졌진준줬]|수정 ?(?:했|한|됐|된|해준)|해결 ?(?:했|한|됐|된)|잡[았은]|픽스 ?[했한됐된]|fix ?[했한됐된]|패치 ?[했한]|손[본봤]|막[았은]|조치 ?[했한]|복구 ?[했한됐])\S*(?: ?(?:거|것|건)\S*)?(?:는데|은데|건데|인데|더니|거든|는데도|지만|것 ?같은데)\S*(?:[?!.]*$|,? {so}(?:{bad}|{not}|그대로|똑같|또|여전|다시|같은|마찬가지|왜))
(?:{ago})\S*(?:에|에는|도)? {gap}(?:고[쳤친]|고쳐[졌준줬진]|수정 ?[했한됐된]|수정해|해결 ?[했한됐된]|잡[았은]|픽스 ?[했한]|fix ?[했한]|손[본봤]|막[았은])\S*(?: ?(?:거|것|건|버그|문제|이슈|오류|에러|부분|줄|현상|증상)\S*)? {gap}(?:또|다시|재발|그대로|똑같|여전|되살|나[왔타]|돌아|{bad}|{not}|왜)
(?:내가?|제가?|우리가?) {gap}(?:고[쳤친]|수정 ?한|작성 ?한|쓴|만든|짠|추가 ?한|바꾼|적은|넣은|설정 ?한) {so}(?:지[웠워]|날[렸려아]|사라[졌져]|없[앴어애]|되돌[렸려아리]|덮어|원복|바[꿨뀌]|빼|빠[졌져]|고쳐 ?놨|삭제|무시)
(?:고[친쳤]|수정한|작업한|바꾼) {gap}(?:{so})(?:사라[졌져]|날[아라]\S*|없어[졌져]|되돌아|되돌려|원복|덮어)
(?:하나|한 ?쪽|한 ?군데|여기|이거|이쪽|앞|그거|거기|한쪽)\S* ?(?:를|을)? ?(?:고치|고쳤|잡|막|손대|수정하|건드리)\S* {gap}(?:다른|딴|저기|저쪽|여기|이번엔|이번에는|반대|뒤|그 ?옆|또|옆)
하나\S* ?(?:고치|잡|막)\S* (?:둘|셋|두 ?개|세 ?개|다른)
(?:되돌리면|빼면|원복하면|롤백하면|끄면) {gap}(?:되고|돼|잘|멀쩡|괜찮|통과)\S*
뭘? ?(?:건드렸|바꿨|손댔|했)길래 
고치면 (?:또|다른|딴|여기|저기) {gap}(?:{bad}|{not})
(?:안|않|못) ?(?:고쳐[졌진지짐짔]|고친|고쳤|잡혔|잡힌|풀렸|없어졌|바뀌었|바뀐|바뀜|나아졌)\S*
고쳐지지 ?(?:가 ?)?않\S*|고쳐[진질] ?(?:게|것|거)\S* ?(?:없|맞|아니)|고쳐[진졌] ?(?:줄|다고)
(?:해결|수정|반영|적용|처리|개선|픽스|fix)[이가은도]? ?(?:하나도 |전혀 |제대로 |아직 |여전히 )?(?:안|않|못) ?[돼되됐된됨됩했한]\S*
(?:하나도|전혀|조금도|아무것도|1도) (?:안|못|나아|달라|바뀐|변한|고쳐|해결|소용)\S*
(?:된다|됐다|된대|고친다|끝난다|완료했다|완료됐다|통과한다|통과했다|문제 ?없다|괜찮다|잘 ?된다|잘 ?돈다|돌아간다)(?:며|면서|더니|더만|메|고 ?하더니|고 ?했|고 ?하지|길래)

# 같은 | 비슷한 | 똑같 | 동일 | 그대로 | 마찬가지
(?:했던|한|봤던|났던|겪은|겪었던|고친|저지른|만든|본) ?(?:바로 )?(?:그 )?(?:실수|에러|문제|버그|오류|이슈|짓|거)(?:이?랑|와|과|하고) {gap}(?:똑같|같|비슷|동일)\S*
똑같이 (?:{bad}|{not})
(?:{ago}|작년|지지난)\S*에도 {gap}(?:겪|났|있었|그랬|봤|당했|똑같|이랬|터졌|깨졌|실패)\S*
(?:덕에|덕분에) {gap}(?:망가|깨[졌져]|안 ?[돼되됐됨]|죽|터[졌져])
(?:같은|똑같은|동일한|비슷한) (?:\S+ )?(?:스택 ?트레이스|트레이스|에러|오류|버그|실수|증상|현상|이슈|장애|예외|크래시|실패|함정|삽질|{code})
(?:같은|똑같은|동일한) (?:\S+ )?(?:데|곳|자리|지점|줄|라인|부분|테스트|단계|스텝|이유|원인|케이스|타이밍)(?:에서|에|로|으로|서)(?:만|도)?(?:[ ,.!?]|$)
(?:비슷한|같은|똑같은|동일한|동일|이런|그런|이딴) (?:\S+ )?(?:{thing})(?:를|을|가|이|로|에서|에서만|의|은|는|도|만)? ?(?:또|반복|되풀이|계속|자꾸|다시|왜|했[네잖어다냐]|하[네잖냐]|하고 ?있|하는 ?거|나[와네왔옴옵요]|났|나고 ?있|나는데|발생[했하합함중]?|재현|재발|뜨[네는고]|떠|뜸|뜹|떴|떠요|막[혀히혔]|멈|죽|터|깨|실패|걸[려리]|보[여이]|이어|남|튀어|몇|두 ?번|세 ?번|벌써|째|저질|할)\S*
(?:^|[\s,])(?:완전 |정확히 |역시 |아주 |진짜 |또 |여전히 |역시나 )?(?:같은|똑같은|동일한|비슷한) (?:\S+ )?(?:에러|오류|문제|버그|실수|증상|현상|이슈|실패|장애|예외|error|issue|bug|짓|결과|메시지|상황|소리)(?:이|가|임|네|야|다|예요|에요|입니다|인데|이네|이야|이에요|요|죠|지|잖아)?\S{0,3}[?!.]*$
(?:같은|똑같은|비슷한|동일한) 실수
(?:^|\s)(?:{ago}|전|그전|아까 ?전)\S*(?:이?랑|하고|와|과|처럼|같이|이랑|에 ?본|에 ?났던|에 ?봤던|의) {gap}(?:(?:똑같은|같은|동일한|비슷한) (?:{thing}|{bad})\S*|(?:똑같|같|동일|비슷|마찬가지)\S{0,4}[?!.~]*$)
(?:처음|원래|아까|어제|예전|이전|전|저번|지난번)(?:이?랑|하고|와|과|처럼) (?:또|달라진|변한|차이|다를 ?게|바뀐|그대로)\S*
(?:수정|변경|적용|고쳐|고쳤|바꿔|바꿨|해도|봐도|했는데|봤는데|돌려|재시작|재설치|결과|증상|증상은|현상|화면|에러|오류|여전히|아직|역시|다시|전부|뭘|뭐|이렇게|저렇게|하라는|시킨|대로|이후에도|후에도|도|는|은|가|이)\S*,? (?:\S+ )?(?:그대로|똑같|마찬가지|제자리)(?:네|야|예요|에요|임|인데|입니다|이네|이다|요|다|잖|아|은데|음|습|고|이에요|지|죠)?\S{0,4}[?!.~]*$
^(?:음|흠|어|아|네|넵|아뇨|아니|아니요|여전히|역시|그냥|완전)?,? ?(?:그대로|똑같|마찬가지)(?:네|예요|에요|임|인데|입니다|이네|다|잖|아|은데|음|습|아요|네요)\S{0,4}[?!.~]*$
(?:결과|출력|증상|에러|오류|화면|현상|동작|로그|메시지|하나도|전혀|이거나 저거나|뭘 해도)\S* (?:\S+ )?(?:매한가지|마찬가지|도긴개긴|그게 그거|똑같은데|똑같음|똑같네|변함 ?없|그대로)\S*
(?:때|번|지난주|지난달|저번|지난번|어제|그때|예전|작년|전|그제|\S+월)(?:에)?처럼(?: \S+){0,6}? (?:{bad}|{not}|\S*버[려렸림렷린])
(?:{ago})\S* ?(?:에러|오류|버그|문제|이슈|장애|실수|증상)(?:이?랑|와|과|하고)
^(?:[^\s]+ ){0,5}?(?:변화|차이|달라진|변한|바뀐|나아진|개선된|진전|소용|효과)(?:가|이| ?게| ?것이| ?점이| ?거)? ?(?:없[네어음다]|없는데|하나도|전혀|안)\S*

# 몇 | 번째 | 번이나 | 번을 | 번씩 | 수십 | 번은 | 번 말
몇 ?번(?:이나|을|씩|이고|째)? ?(?:을 ?)?(?:말|얘기|이야기|설명|고쳐야|고치|해야 ?(?:되|돼|하|알|들|이해)|반복해|똑같|같은 ?말|물어|부탁|알려|지적|당해|겪어|이러|수정해야|시켜야)
몇 ?번째(?: ?(?:야|예요|에요|이야|인지|냐|냐고|죠|지|니|임|인가요|인가|고치|이런|똑같|같은|말|이러|반복|롤백|수정))
(?:벌써|이게|이거|이걸|오늘만|오늘|지금|이번이|이번|같은|똑같은|이러는|이런|이 ?에러|이 ?문제|이 ?버그|이거만) (?:\S+ ){0,2}?(?:두|세|네|다섯|여섯|일곱|열|\d+|몇|n) ?번(?:째|이나|은|이상|도 ?넘|을)
(?:^|[\s,])(?:두|세|네|다섯|여섯|\d+) ?번째(?:야|예요|에요|이야|입니다|네|임|이네|잖|인데|거든|다| 같은| 똑같은| 말| 얘기| 고치| 수정| 실패)\S*
(?:두|세|네|다섯|여섯|열|\d+|수십|수백|백|천|골백|몇) ?번(?:은|을|이나|도|씩|째)? ?(?:더 ?|넘게 ?|이나 ?)?(?:말했|말한|얘기했|설명했|고쳤|고친|해봤|물어봤|돌렸|돌려봤|반복했|지적했|알려줬|부탁했|시켰|수정했|시도했)\S*
같은 ?(?:말|얘기|소리|지적|부탁)(?:을|를)? ?(?:몇|또|계속|반복|두|세|자꾸)

# 말했 | 말한 | 말씀 | 얘기 | 이야기 | 그랬 | 했잖 | 알려 | 부탁 | 설명 | 말라 | 시켰 | 약속 | 분명 | 합의 | 지적 | 잊 | 까먹 | 무시 | 말라니 | 쓰라니 | 했는데
(?:{ago}|이미|아까|벌써) {gap}(?:말|얘기|설명|지적|합의|논의|언급|정)(?:했|한|해 ?준|된|됐)(?:던)? ?(?:건데|거잖|거고|거 ?아|내용이|부분이|건데요)
(?:전에도|저번에도|아까도|어제도|이전에도|지난번에도|매번|몇 ?번) {gap}(?:말|얘기|설명|부탁|지적|언급|말씀)\S*(?:지만|듯이|듯|는데|잖|다시피)
분명히? {gap}\S*(?:했는데|됐는데|고쳤는데|확인했는데|있었는데|넣었는데|말했는데|시켰는데)\S*
\S+지 ?말라(?:고)? ?(?:하지|했지|안 ?했|그러지|그랬)\S*
(?:{ago}|내가|제가|몇 ?번이나|여러 ?번|수차례|계속|그렇게|누누이) {gap}(?:말|얘기|이야기|말씀|설명|부탁|지적|경고|당부|안내|지시|요청)(?:을|를)? ?(?:했|드렸|해 ?줬|하지 ?않)\S*(?:잖|는데|지|죠|건만|을텐데|을 ?텐데|거늘|어|다|나요|냐|어요|구만)
(?:말|얘기|이야기|설명|부탁|지적|약속|합의|당부|지시)(?:을|를)? ?(?:했|드렸|해 ?줬)\S{0,2}잖\S*
(?:했|그랬|됐|썼|알려 ?줬|가르쳐 ?줬|정했|정해 ?놨)잖아
\S+지 ?말(?:랬|랬는데|라 ?했|라 ?그랬)\S*
(?:제보|신고|말|얘기|보고|리포트|수정|해결|경고|지적|얘기|설명|언급)(?:했던|한|드린|됐던|했었던|해준|해 ?준) (?:바로 )?(?:그 ?|이 ?)?(?:버그|문제|실수|에러|오류|이슈|증상|현상|거 ?또|그거)(?:를|을|가|이|잖|네|인데|임|예요|에요|입니다|랑|하고)\S*
(?:조심|주의|경고)하?라(?:고)? (?:했|한|그랬)\S*
\S+지 ?말(?:라|래|자)(?:고|니까|니깐|했|며|면서|는데|고요|구|니)\S*(?: ?(?:했|그랬|말했|몇|분명|얘기|왜|또|하지|부탁))?
\S+(?:라|으라|하라)(?:고 ?(?:했|그랬|몇|말했|얘기했|분명)|니까|니깐|했잖|했는데|며)\S*
(?:그새|벌써|왜|그걸|또|그 ?사이|금세) {gap}(?:잊|까먹|무시)\S*
(?:내|제|우리) ?(?:말|지시|요청|규칙|컨벤션|설명|얘기) ?(?:을|를|은|는|도)? ?(?:또 |왜 |자꾸 |계속 |전혀 |하나도 )?(?:안 ?(?:듣|들|지|봤|읽|따)|무시|잊|까먹|씹)\S*

# 대로 | 해도 | 봐도 | 봤는데도 | 했는데도 | 바꿔도 | 늘려도 | 고쳐도 | 지워도 | 켜도 | 도 안 | 시도
(?:말|시키|시킨|알려 ?준|하라는|설명한|제안한|가이드|안내한|가르쳐 ?준|준|주신|써 ?준|말씀하신|적힌|문서|알려주신)\S* ?대로 {so}(?:{bad}|{not}|똑같|그대로|마찬가지|같은|여전)
(?:했|봤|돌렸|바꿨|고쳤|적용했|늘렸|깔았|재시작했|지웠|추가했|설정했|수정했)는데도 {so}(?:{bad}|{not}|똑같|그대로|마찬가지|같은|여전|\S+네)
(?:다시 ?해|다시 ?돌려|다시 ?깔아|다시 ?빌드해|재시작해|재설치해|재부팅해|껐다 ?켜|바꿔|고쳐|늘려|지워|뭘 ?해|뭔 ?짓을 ?해|별짓 ?다 ?해|다 ?해|다 ?해 ?봐|몇 ?번을? ?해|아무리 ?\S+|백날 ?\S+|수정해|적용해|돌려 ?봐|시도해|써 ?봐)도 {gap}(?:{bad}|{not}|똑같|그대로|마찬가지|같은|여전|소용)
(?:세|네|다섯|여러|몇|\d+) ?번(?:이나|째|을)? {gap}(?:해 ?봤|돌려 ?봤|시도)\S*는데 {gap}(?:{bad}|{not}|같은|똑같|그대로|여전)

# 이후 | 후 | 뒤 | 다음 | 부터 | 나서 | 나니 | 때문 | 탓 | 니까 | 더니 | 고는 | 바람에
(?:바꾼|바꾸|바꿨|수정[한하했]|고[친치쳤]|손[댄대본]|리팩[토터]링|머지|병합|업데이트|업그레이드|배포|올[린리렸]|커밋|푸시|패치|변경|교체|옮[긴기겼]|지운|지우|추가[한하했]|적용[한하했]|손보|건드[린리렸]|마이그레이션|릴리[즈스]|핫픽스|merge|deploy|update|refactor\w*|rebase|리베이스|최적화|정리[한하했]|버전 ?올|rename)\S*(?: ?\S+)? ?(?:이후|후|뒤|다음|부터|나서|나니|때문|탓|니까|더니|고는|바람에)\S* {so}(?:{bad}|{not})
(?:네|니|너의|님) ?(?:수정|변경|커밋|코드|패치|리팩[토터]링|작업|답변|제안|픽스|머지|pr)\S* ?(?:때문|이후|탓|뒤|후에|다음|부터|으로 ?인)
(?:네|니|너|당신|그쪽|클로드|코파일럿|봇|ai)(?:가|이)? ?(?:아까 |방금 |어제 |또 )?(?:바꾼|수정한|고친|손댄|건드린|짠|만든|올린|준|작성한|해 ?준|추가한|지운)\S*(?: \S+){0,3}? (?:때문|탓|이후|뒤|다음|후|부터|코드|거|게|건|부분)\S* {so}(?:{bad}|{not})
(?:방금|아까|이번|지난|최근|어제|그|마지막|직전) ?(?:\S+ )?(?:수정|변경|커밋|패치|머지|배포|업데이트|리팩[토터]링|작업|pr|릴리[즈스])\S* {gap}(?:때문|탓|이후|뒤|후|부터|로|에서|으로|가|이)\S* {so}(?:{bad}|{not})
(?:더|오히려|점점|갈수록) {gap}(?:안 ?좋아|나빠|나빠졌|심해|심해졌|느려|망가|꼬였|이상해|악화|엉망)\S*

# 됐는데 | 되던 | 됐었 | 잘 되 | 잘 돌 | 잘되 | 잘돌 | 잘 됐 | 잘됐 | 돌아갔 | 돌아가던 | 통과 | 멀쩡 | 문제없 | 문제 없 | 됐던 | 나왔는데 | 작동 | 동작 | 정상이 | 나오던 | 뜨던 | 열리던 | 빨랐 | 성공했
(?:{ago}|아침|오늘 ?아침|오전|\S+ ?전|\S+까지|버전|배포 ?전|머지 ?전)\S*(?:에는|에|엔|까지는|까지|까진|만 ?해도|은|는|에서는|에선)? {gap}(?:됐는데|됐었|되던|되더니|됐던|잘 ?\S+(?:는데|던|었|더니)|돌아갔|돌아가던|통과했|통과하던|통과됐|멀쩡|문제 ?없|나왔는데|나오던|작동했|작동하던|동작했|동작하던|성공했|정상이었|정상 ?\S*였|괜찮았|빨랐|열렸|떴)\S*
(?:^|[\s,])(?:잘 ?되|잘 ?돌아가|잘 ?나오|잘 ?뜨|멀쩡하|잘 ?돌|되|잘 ?작동하|잘 ?동작하|통과하|잘 ?열리|잘 ?쓰)던 ?(?:게|거|건|것|건데|애|코드|기능|테스트|빌드|화면|페이지|서버|\S+[이가은는])
(?:잘 ?되|잘 ?돌아가|잘 ?나오|멀쩡하)다가 {gap}(?:갑자기 )?(?:{bad}|{not}|왜)
(?:원래|예전엔|예전에는|전에는|전엔|분명) {gap}(?:안 ?(?:그랬|이랬|나던|났|깨졌|죽었)|이런 ?(?:일|적)|안 ?이러)\S*

# 재발 | 되살아 | 돌아왔 | 부활 | 재현 | 재등장 | 좀비 | 도졌
(?:{ago}|\S+까지|\S+까진|전까지|전까진|\S+ ?전에는)\S* {gap}(?:초록|정상|멀쩡|괜찮|잘 ?\S*|통과|\S+)?(?:이었는데|였는데|있었는데|없었는데|됐는데|했는데요?|왔는데|떴는데|열렸는데|보였는데|멀쩡했는데|괜찮았는데|빨랐는데|였거든|이었거든|됐거든)\S*[?!.~]*(?:$|,? {so}(?:{bad}|{not}|지금|이제|오늘|갑자기|걸[려림렸]))
재발(?:했|하[네는고였]|됐|된|되|됨|함|이|인|해|중|한 ?것|[!.?]*$)
(?:되살아[났나]|부활[했하]|재등장|도졌|살아 ?돌아왔|컴백|돌아왔|환생)\S*
(?:동일|같은|똑같은|또|다시|여전히|계속|아직도|그대로) ?\S{0,6} ?(?:재현|재연)(?:됩|돼|됨|되[네는고]|됐|중|함|한)

# 회귀 | 리그레션 | regression | 퇴행
회귀 ?(?:버그|이슈|했|됐|발생|인 ?듯|인 ?것|이네|이야|같|났|오류|결함|장애|입니다|예요|임)
(?:리그레션|regression|퇴행) ?(?:이 ?)?(?:났|나[네요왔]|발생|같|인 ?듯|인 ?것|버그|이슈|생[겼긴김]|터[졌짐]|이네|이야|입니다|예요|이에요|임|인데|이다|잡|있[네어])

# 또 | 진짜 | 제발 | 그만
(?:제발|좀|이제|그만) {gap}그만 (?:좀 )?(?:지워|바꿔|건드[려리]|고쳐|만들|추측|지어|되돌[려리]|덮어)
(?:제발|좀) {gap}(?:지우|바꾸|건드리|되돌리|덮어쓰|추측하|지어내|빼먹|까먹|반복하)지 ?(?:좀 ?)?(?:마|말)`,
		marks: `
(?:^|[\s,.(!?~])(?:또|자꾸|여전히|아직도)\s`,
		never: `
회귀 ?(?:분석|모델|모형|테스트|시험|계수|직선|곡선|식|문제|알고리즘|방지|검사|함수|트리|검증|케이스|스위트|기울기|예측|추정|진단|정확도|잔차|선)|(?:선형|로지스틱|다중|다항|릿지|라쏘|단순|포아송|베이지안|서포트 ?벡터|능형|소프트맥스|순서형|비선형|분위수|단계적)[ -]?회귀
(?:리그레션|regression) ?(?:테스트|test|tests|suite|스위트|분석|모델|analysis|model|케이스|검사|잡|job|라인|coefficient|loss)|(?:linear|logistic|ridge|lasso|polynomial) ?(?:regression|리그레션)
(?:리그레션|regression|회귀) ?(?:이|은|가|는)? ?(?:없|있는지|있나|생기지|나지|안|방지|여부)
재발 ?(?:방지|안 |률|하지|되지|을 ?막|막)
(?:않게|않도록|않기 ?위|않으려|않았으면|없게|없도록|말게|말도록|지 ?않는지|방지하|방지할|방지책|예방하|예방할|막으려|막을|막는|막기|막아 ?줘|막도록|안 ?(?:하|되|나|생기|깨지|터지|죽|그러|틀리)(?:게|도록|려면|려고))
(?:다는|라는|냐는|단|란) ?(?:문의|고객|사용자|유저|리뷰|댓글|민원|글|말이|제목|메시지|문구|의견|피드백|불만|티켓|질문|소리가|버튼|이름|뜻|변수|함수)
(?:무슨|어떤) ?(?:뜻|의미)|(?:뜻|의미)(?:이|가)? ?(?:뭐|무엇|뭔)
(?:고객|사용자|유저|손님)(?:이|가|한테|에게) {so}(?:답|답변|회신|메일|안내) 
(?:이유|방법|차이|원리|개념)에 ?(?:대한|대해|관한) ?(?:글|블로그|문서|발표|설명)`,
		before: `
(?:혹시라도|혹시|만약에|만약|만일|가령|설령|행여) \S.*
(?:사용자|유저|고객|손님|회원|플레이어|학생|클라이언트|user|client)(?:가|이|는|은|들이) {so}(?:또|다시|계속|매번|자꾸) (?:\S+ ){0,2}?(?:접속|로그인|클릭|입력|방문|시도|요청|들어|열|가입|누르|눌|제출|선택|저장|탈퇴|돌아)
^(?:내|제|우리|저희)(?:가)? (?:변경|수정|커밋|코드|실수|작업|패치)\S* ?(?:때문|이후|뒤|탓)
[^제까번전때음일](?:와|과) (?:같은|비슷한)
(?:랜덤하게|무작위로|일부러|의도적으로|임의로|고의로|강제로) 
(?:계속|다시|또|자꾸|매번|항상) ?(?:\S+ )?안 ?(?:깨|터|죽|틀|멈|막|튕|뻗|꼬이|사라|끊|에러|실패|나네|나고)
(?:어떻게|어떤 ?경우|무슨 ?경우) \S*
(?:이제|이젠|더 ?이상|더는|이제야|드디어|마침내) {gap}안 ?(?:깨|터|죽|틀|멈|막|튕|뻗|꼬|사라|끊|에러|실패|나|그러|이러)
(?:{bad}|{not})\S{0,3}면(?: |$)
냐고 ?(?:물|묻)`,
		after: `
\S*(?:는|은|던) \S+에 ?대(?:한|해)
\S{0,2}(?:를|을) (?:제거|처리|방지|해결|수정|찾|확인|출력|던지|발생시|무시|표시|반환|잡|줄이|피하|정리|합치)
\S*(?: \S{1,4})?(?:면|으면|거든|거나|든지|더라도|라도)(?:[ ,.!?]|은|$|요|서 ?말고)
\S*냐고 ?(?:물|묻)
야 ?(?:해|하|돼|됨|함|된)
\S* ?(?:때|때는|때만|때마다|때의|경우|경우에|경우엔|경우는|수도|수 ?있|지 ?모르|뻔)
\S*(?:을까|ㄹ까|질까|될까|할까|날까|까봐|을지|될지|할지|질지|는지 ?(?:확인|봐|알려|검토|테스트|체크|검사|볼))
[^,]{0,20}는지 ?(?:좀 |한번 |다시 )?(?:확인|봐|알려|검토|테스트|체크|검사|볼|점검)
\S*(?:게|도록|려고|려면|기 ?위해|기 ?전에|기만)(?: |,|$)
\S{0,6}지 ?(?:않|마|말)(?:게|도록|으려|고 ?|을|자|았|아|는|습)
\S{0,3} ?(?:처리|핸들링|핸들러|바운더리|페이지|타입|클래스|문구|율|률|케이스|횟수|건수|목록|리스트|통계|버튼|화면 ?만|코드 ?(?:목록|표|정의|통일)|메시지 ?(?:를|을|로)? ?(?:통일|번역|바꿔|쓰|변경|추가|정의|만들))
[^,]{0,60}?(?:{make})
\S*(?:는|은|던|할|될|될 ?만한) (?:잡|테스트|코드|함수|파일|요청|작업|로그|방법|법|이유|원리|상황|서버|객체|데이터|값|건|경우|애들|사람|유저|사용자)\S*(?:만|을|를)? ?(?:다시|모아|골라|찾는|정리|시뮬|재현하는|목록|뭐|설명)`,
		harmless: `
(?:^|[\s,.(!?~])또 ?(?:하나|다른|뭐|뭘|뭔가|무슨|무엇|어떤|누가|누구|어디|언제|어떻게|필요|추가|있[어을나는]|없[어을나는]|궁금|질문|물어|부탁|왔[어다네습]|오랜|만났|만나|고마|감사|봐[요서도]|봅|보자|뵙|배웠|배우|성공|잘|좋|개선|예쁘|좀|한 ?번|한번|시작해|해줘|주세요|가능|될까|알려|말해|설명|생각|재밌|재미|이야기|제안|바로|그 ?다음|작업|새로운|새 |만들어 ?줘)
(?:^|[\s,.(!?~])(?:또|자꾸|여전히|아직도) [^,]*(?:줘|주세요|주라|줄래|하자|할까|할래|할게|을게|볼게|부탁|바람|주면|도 ?돼|도 ?될|해도|싶|될까|있을까|있나요?|있어요\?|고마|감사|미안|죄송|좋[아은네겠]|성공|통과[했됐하]|빨라|해결[했됐]|잘 ?[되돼됐돌나]|필요|헷갈|궁금|모르|이해|유효|지원|사용 ?(?:하|중)|쓰[나는고]|써[요?]|유지|중요|기억|생각|추천|인기|최고|사랑|맛있|배고|졸려|피곤|일하|남아|진행|개발 ?중|존재|우선|최신|가능|수 ?있|가리|제공|포함|신선|작업 ?중|하는 ?중|대기|기다|준비|계획|예정|적용 ?중|검토|고민|공부|배우|읽|보고 ?있|찾고 ?있|[가-힣](?:ㄹ|을|할|될|볼|갈|줄|쓸|날|올|킬|칠|릴|길|릴) ?(?:거|것|때|수|게|지|예정|만|듯))
(?:^|[\s,.(!?~])(?:여전히|아직도) [^,]*\?
(?:또|자꾸|여전히|아직도) [^,]*면(?:[ ,.]|$)
(?:^|[\s,.(!?~])(?:또|자꾸) [^,]*(?:있어|해도 ?돼|되나|되나요|될까|할까|없나|없어|뭐야|뭔데)\?
^(?:내가|제가|나는|저는|난|전|우리|저희|나도|저도) [^,]*(?:또|자꾸|여전히|아직도) [^,]*(?:했어|했습니다|했어요|왔어|봤어|봤습니다|만들었|짰|썼|올렸|보냈|커밋|머지|배포|쓰|씁|사용)`,
	}.compile()
})
