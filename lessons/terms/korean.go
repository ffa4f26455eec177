package terms

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"
)

// hangulWord returns the Korean word text[start:end] without its particle or ending.
// A particle that hangs on a word of another script ("API를") is a stop word.
func hangulWord(text string, start, end int) Term {
	src := text[start:end]
	t := Term{Text: src, Start: start, End: end, Class: Hangul}
	if len(src) > 4*maxTerm {
		t.Text = src[:4*maxTerm-(4*maxTerm)%3]
	}
	if start > 0 && scriptOf(lastRune(text[:start])) == scriptWord && slices.Contains(koreanEndings, src) {
		t.Stop = true
		return t
	}
	if koreanStops[src] {
		t.Stop = true
		return t
	}
	t.Text = stripKorean(t.Text)
	t.Stop = koreanStops[t.Text]
	return t
}

// stripKorean takes endings off a Korean word, longest first, at most twice ("서버에서는": 는, then 에서), and leaves at least
// two syllables: one alone is too often a word that merely ends like a particle.
func stripKorean(w string) string {
	for range 2 {
		cut := ""
		for _, e := range endingsBySyllable[lastRune(w)] { // longest first
			if len(w)-len(e) >= 2*3 && strings.HasSuffix(w, e) {
				cut = e
				break
			}
		}
		if cut == "" {
			break
		}
		w = w[:len(w)-len(cut)]
	}
	return w
}

func lastRune(s string) rune {
	r, _ := utf8.DecodeLastRuneInString(s)
	return r
}

// koreanEndings are particles, the copula, and the inflections of 하다 and 되다 that turn
// a noun into a verb, sorted by length. Dictionary grammar, not a learned list.
var koreanEndings = sortedByLength(strings.Fields(`
을 를 이 가 은 는 에 의 와 과 도 로 만 나 랑 야 요
으로 에서 에게 한테 께서 부터 까지 처럼 보다 마다 조차 마저 밖에 이나 이랑 하고 이며 이고 이라 라고 이란
에는 에도 로는 로도 과는 와는 들은 들을 들이 들의 만은 만이 에만 로만 대로 만큼
에서는 에서도 으로는 으로도 으로만 에게는 한테는 부터는 까지는 까지도 이라고 이라는 라는 라서 이라서
입니다 이다 이에요 예요 인데 인가 인가요 인지 이면 라면 이라면 였다 이었다 였는데
하다 하는 하는데 하면 해서 해도 해야 하지 하고 하며 하기 하게 하려 하려고 하려면 하자 할 한 함 합니다 했다 했는데 했고 했더니 했습니다 하세요 해주세요 해줘 하나요 할까요 해요 했어 했어요 해야지 해야만 하도록 하거나 하던 했던 할때 하지만 하니 하니까 한다 한다면 된다
되다 되는 되는데 되면 돼서 되어 되고 되며 되지 되기 되게 되도록 될 된 됨 됩니다 됐다 됐는데 되었습니다 됐습니다 되나요 돼요 됐어 됐어요 되어야 돼야 된다 된다면 되거나 되던 되었다
시키다 시키는 시키면 시켜서 시킨 시킬 시켜야
기 려면 으려면 려고 으려고 려는 으려는 어야 아야 여야 어서 아서 여서 으면 면서 으면서 지만 거나 는데 은데 더니 었더니 았더니 였더니 다가 네요 나요 어요 아요 여요 는지 은지 을지 습니다 니다 었다 았다 는다 었어요 았어요 었는데 았는데
`))

// endingsBySyllable are the endings by their last syllable.
var endingsBySyllable = func() map[rune][]string {
	m := map[rune][]string{}
	for _, e := range koreanEndings {
		r := lastRune(e)
		m[r] = append(m[r], e)
	}
	return m
}()

// koreanStops never count: pronouns, connectives, bare verbs and question words.
var koreanStops = Set(`
그 이 저 것 거 수 등 및 또 또는 그리고 그러나 하지만 그런데 그래서 그러면 그럼 즉 혹은 만약 왜 어떻게 무엇 뭐 어디 언제 누가 어느 어떤 이런 그런 저런
이것 그것 저것 여기 거기 저기 우리 저희 제가 내가 나는 저는 너 당신 때 때문 때문에 위해 위한 대한 대해 대해서 통해 따라 따른 관련 관한 경우 정도
있다 있는 있습니다 있어 있어요 있나요 있을 있으면 있고 있는데 있어서 없다 없는 없이 없습니다 없어 없어요 없나요 없으면 없고
하다 하는 하면 해서 해요 합니다 한다 한다면 된다 하고 하지 할 한 함 해야 해 했 했다 됩니다 되는 되면 된 될 됨 되다 돼 돼요 되나요 되지 안 못 더 덜 좀 잘 다시 매우 아주 너무 정말 진짜 그냥 아니 아니라 네 예 응 제발
같은 같이 같다 같아요 다른 모든 각 각각 여러 많은 어떤 아무 것은 것이 것을 것도 것입니다 거야 거예요 건가요 수도 수가 줘 주세요 알려줘 알려주세요 부탁 부탁해요 방법 방법은 싶어 싶어요 싶은 싶습니다 봐 보고 보면 이렇게 그렇게 저렇게 지금 이미 아직 바로 항상 먼저 다음 뒤 후 전 중 안에 위 아래 사이
가능한지 가능한가 가능한가요 가능할까 가능할까요 가능해요 가능합니까 만한지 만한가요 뭐예요 뭐에요 뭐야 뭐죠 뭔가요 무엇인가요 뭐가있나요 어때 어때요 어떨까 어떨까요 나을까 나을까요 나은가 나은가요 되려면 하면되나요 어떡해 어떡하죠 어떻게하나요 어떻게해요 할까 될까 될까요 맞나 맞나요 맞는지 아닌지 아닌가 아닌가요 아닌데
있는지 없는지 있나 없나 있을까 없을까 있었 없었 하나요 되는지 되나 안되 안돼 한대 한대요 대요 래요 뜬다 뜨는 뜨네 뜸 나온다 나오는 나와 나와요 나옴 나는데 난다 났다 났어 써야 쓰나 쓰려 쓰려니 쓰는 쓰고 쓰고도 쓰면 써서 써도 쓸 쓸때
인가 인지 건지 걸까 뭔가 뭔지 뭐가 뭘 뭘로 무슨 어떤지 어디서 어디에 어디로 궁금 궁금해 궁금해요 궁금합니다 싶다 싶은데 싶어서 좋은가 좋을까 좋은지 모르겠 모르겠어 알고 알고싶 걸 건 게 거지 이거 저거 그거 이게 그게 내 제 나 혹시 근데 일단 그때 이때 하려 하려니 말고 한번 한다고 된다고 라고 이라고 라는 라는데 이라는 다는데 했는지 하는지 하는가 되는가 않는다 않는 않고 않아 않아서 않아요 못하 못한 못한다
`)

func sortedByLength(words []string) []string {
	slices.SortFunc(words, func(a, b string) int {
		return cmp.Or(len(b)-len(a), strings.Compare(a, b))
	})
	return slices.Compact(words)
}

// Set returns the words of a text, as they stand between blanks.
func Set(words string) map[string]bool {
	m := make(map[string]bool)
	for w := range strings.FieldsSeq(words) {
		m[w] = true
	}
	return m
}

// Common returns how many values two sets, each in order, have in common, or fewer than need where they have.
func Common[T cmp.Ordered](a, b []T, need int) (both int) {
	for i, j := 0, 0; i < len(a) && j < len(b) && both+min(len(a)-i, len(b)-j) >= need; {
		switch {
		case a[i] == b[j]:
			both, i, j = both+1, i+1, j+1
		case a[i] < b[j]:
			i++
		default:
			j++
		}
	}
	return both
}
