package index

import (
	"cmp"
	"math"
	"math/bits"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/handrail-dev/handrail/lessons/terms"
)

// The formula. Every constant was chosen on sets of different kinds; docs/ranking.md has the measurements.
const (
	// k1 and b are BM25's term saturation and length pivot (Robertson and Zaragoza, "The Probabilistic Relevance
	// Framework", 2009, eq. 3.15), at the upper end of the usual ranges: words of a title count three times, so counts
	// are higher, and a long file here is mostly one of many subjects.
	k1 = 2.0
	b  = 0.9
	// k3 saturates how often the query itself repeats a word (ibid., eq. 3.17).
	k3 = 1.0
	// leadBoost is what a query's first word weighs more than a late one, falling with
	// leadFall words: people say first what it is about, and long reports trail off.
	leadBoost = 1.0
	leadFall  = 25.0
	// otherWeight is what a synonym counts beside the word itself: 0.3 finds fewer pages
	// across languages, 0.9 puts the translation before the page in the question's words.
	otherWeight = 0.5
	// maxUnits bounds the words of a query that are looked up, those with the most mass
	// first. Which of them a document holds is kept in one machine word.
	maxUnits = 32
	// leastMass is what a word of a long query needs of the mass of the heaviest that the
	// brain knows. What weighs less is in most documents and in the longest lists; without
	// it results are the same or better. A short question needs all its words.
	leastMass = 0.2
	// maxText and maxWords bound how much of a query is read, in bytes and in different
	// words: a pasted log says what it has to say in its first pages.
	maxText  = 64 << 10
	maxWords = 512
)

// pivotOf returns the length that documents are measured by: their mean, in steps of five
// in a hundred, so that a file's score stays what it is while a brain grows.
func pivotOf(length, n int) float64 {
	const step = 0.05
	mean := max(1, float64(length)/float64(max(1, n)))
	return math.Exp(math.Round(math.Log(mean)/step) * step)
}

// unit is one word of a query.
type unit struct {
	word    string // as terms.Words gives it
	surface string // as the person wrote it
	spoken  string // a Korean word with its ending
	terms   []string
	whole   bool    // a code word whose pieces are units too
	prose   bool    // a word of an alphabet, as prose has them
	place   int     // in the query, among its different words
	weight  float64 // by repetition and place
	idf     float64 // of the unit as a whole
	shares  []float64
	lists   []postings
	known   bool    // some document holds it, or part of it
	entire  bool    // every part of it is in some document
	worth   float64 // in a passage
	others  []unit  // its synonyms, each worth their own idf
}

// mass is what a unit is worth.
func (u unit) mass() float64 { return u.weight * u.idf }

// query is a text made ready for the formula.
type query struct {
	units  []unit
	joined []unit // what it writes as two words, as one
}

// parse cuts a query into units; the maxUnits with the most mass are chosen later, when their rarity is known.
func parse(text string) query {
	if len(text) > maxText {
		text = text[:maxText]
	}
	text = terms.Normalize(text)
	var (
		q      query
		s      terms.Scanner
		at     = map[string]int{}
		counts []int
		pos    int
		before terms.Term // the word before
	)
	add := func(word, surface string, ts []string) *unit {
		if i, ok := at[word]; ok {
			counts[i]++
			return &q.units[i]
		}
		if len(q.units) == maxWords {
			return new(unit)
		}
		at[word] = len(q.units)
		q.units = append(q.units, unit{word: word, surface: surface, terms: ts, place: len(q.units), weight: lead(pos)})
		counts = append(counts, 1)
		return &q.units[len(q.units)-1]
	}
	for _, w := range terms.Words(text) {
		surface := text[w.Start:w.End]
		if before.Class == terms.Word && w.Class == terms.Word && before.End == w.Start-1 && text[before.End] != '\n' && !before.Stop {
			q.join(&s, text[before.Start:before.End]+surface, text[before.Start:w.End], lead(pos))
		}
		before = w
		if w.Stop {
			continue
		}
		cjk := w.Class == terms.Hangul || w.Class == terms.Han
		switch {
		case cjk:
			var grams []string
			s.Scan(w.Text, func(t terms.Term) {
				if !slices.Contains(grams, t.Text) {
					grams = append(grams, t.Text)
				}
			})
			if len(grams) > 0 {
				u := add(w.Text, w.Text, grams)
				u.synonyms(&s)
				if w.Class == terms.Hangul {
					u.spoken = surface
				}
			}
		case w.Class == terms.Code:
			if one := hyphens.Replace(surface); one != surface {
				q.join(&s, one, surface, lead(pos))
			}
			pieces := 0
			s.Scan(surface, func(t terms.Term) {
				if t.Class == terms.Part && !t.Stop {
					pieces++
				}
			})
			s.Scan(surface, func(t terms.Term) {
				if !t.Stop && (t.Class != terms.Part || t.End < len(surface) || !fileEnding.MatchString(surface)) {
					u := add(t.Text, surface[t.Start:t.End], []string{t.Text})
					u.whole = t.Class == terms.Code && pieces > 0
				}
			})
		default:
			u := add(w.Text, surface, []string{w.Text})
			u.synonyms(&s)
			u.prose = w.Class == terms.Word
		}
		pos++
	}
	for i, n := range counts {
		q.units[i].weight *= (k3 + 1) * float64(n) / (k3 + float64(n))
	}
	return q
}

// fileEnding matches the ending of a file's name: it says nothing of what a request is about.
var fileEnding = regexp.MustCompile(`\.[a-z]{1,4}$`)

// lead is what a word weighs by how many stand before it.
func lead(pos int) float64 { return 1 + leadBoost*math.Exp(-float64(pos)/leadFall) }

// synonyms adds what else a word is called.
func (u *unit) synonyms(s *terms.Scanner) {
	if u.others != nil {
		return
	}
	for _, word := range terms.Synonyms(u.word) {
		o := unit{word: word}
		s.Scan(word, func(t terms.Term) {
			if !slices.Contains(o.terms, t.Text) {
				o.terms = append(o.terms, t.Text)
			}
		})
		u.others = append(u.others, o)
	}
}

// match is one document's standing.
type match struct {
	id      uint32
	share   float64 // of the query's mass that the document holds, 0 to 1; by look, as the next
	matched uint64  // which units, by their bit
}

// ranking is what one query comes to over one corpus.
type ranking struct {
	units []unit
	n     int     // documents in the corpus
	total float64 // the query's mass
	worth float64 // of all units together in a passage
}

// weighed makes a ranking ready: how rare the words are, and which of them count.
func weighed(c *segments, q query) (ranking, error) {
	n := c.n
	r := ranking{n: n}
	if n == 0 || len(q.units) == 0 {
		return r, nil
	}
	units, err := weigh(c, q, n)
	if err != nil {
		return ranking{}, err
	}
	for i := range units {
		u := &units[i]
		if err := u.look(c); err != nil {
			return ranking{}, err
		}
		r.total += u.mass()
		u.worth = math.Pow(u.mass(), passageExponent)
		r.worth += u.worth
	}
	r.units = units
	return r, nil
}

// look looks at one document word by word.
func (r ranking) look(m *match) {
	for i := range r.units {
		u := &r.units[i]
		part := u.in(m.id)
		for k := range u.others {
			part = max(part, otherWeight*u.others[k].in(m.id))
		}
		if part > 0 {
			m.share += u.mass() * part
			m.matched |= 1 << i
		}
	}
	m.share /= r.total
}

// passage returns the share of the query that stands together in a document: what the
// place with the most words has, of which those nearby count less.
func (r ranking) passage(id uint32) float64 {
	var together, near [placeBits]float64
	for i := range r.units {
		u := &r.units[i]
		worth := u.worth
		if len(u.others) == 0 {
			u.spread(id, worth, &together)
			continue
		}
		clear(near[:])
		u.spread(id, worth, &near)
		for k := range u.others {
			var other [placeBits]float64
			u.others[k].spread(id, worth, &other)
			for at := range near {
				near[at] = max(near[at], other[at])
			}
		}
		for at := range near {
			together[at] += near[at]
		}
	}
	return slices.Max(together[:]) / r.worth
}

// spread adds to every place of a document what a unit is worth there, by how near it is.
func (u *unit) spread(id uint32, worth float64, near *[placeBits]float64) {
	for j := range u.lists {
		_, places := u.lists[j].in(id)
		if places == 0 {
			continue
		}
		seen := uint64(0)
		for far, part := range nearness {
			reached := (places<<far | places>>far) & everywhere &^ seen
			seen |= reached
			for ; reached != 0; reached &= reached - 1 {
				near[bits.TrailingZeros64(reached)] += worth * u.shares[j] * part
			}
		}
	}
}

// look fetches the postings of a unit and its synonyms.
func (u *unit) look(c *segments) (err error) {
	u.lists = make([]postings, len(u.terms))
	for j, t := range u.terms {
		u.lists[j], err = c.postings(t)
		if err != nil {
			return err
		}
	}
	for i := range u.others {
		if err := u.others[i].look(c); err != nil {
			return err
		}
	}
	return nil
}

// in returns how much of a unit a document has, up to 1.
func (u *unit) in(id uint32) (part float64) {
	for j := range u.lists {
		if impact, _ := u.lists[j].in(id); impact > 0 {
			part += u.shares[j]
		}
	}
	// A word of several bigrams is there when half of it is: one in common is chance ("서버", "서비스").
	if part < 0.5 {
		return 0
	}
	return min(1, part)
}

// rarity finds out how rare a unit is, and its terms.
func (u *unit) rarity(c *segments, n int) error {
	sum, df, entire := 0.0, 0, true
	u.shares = make([]float64, 0, len(u.terms))
	for _, t := range u.terms {
		holding, err := c.df(t)
		if err != nil {
			return err
		}
		df += holding
		entire = entire && holding > 0
		g := idf(n, holding, u.word)
		u.shares = append(u.shares, g)
		u.idf = max(u.idf, g)
		sum += g
	}
	for j := range u.shares {
		u.shares[j] /= sum
	}
	u.known, u.entire = df > 0, entire
	return nil
}

// weigh finds out how rare the units are and keeps those with the most mass.
func weigh(c *segments, q query, n int) ([]unit, error) {
	units, err := q.compounds(c)
	if err != nil {
		return nil, err
	}
	out := make([]unit, 0, len(units))
	for _, u := range units {
		if err := u.rarity(c, n); err != nil {
			return nil, err
		}
		if !u.known && u.whole {
			continue // nobody wrote this name, and its pieces speak for it
		}
		var others []unit
		for _, o := range u.others {
			if err := o.rarity(c, n); err != nil {
				return nil, err
			}
			if o.entire {
				o.weight = u.weight
				others = append(others, o)
			}
		}
		if !u.entire {
			slices.SortStableFunc(others, func(a, b unit) int { return -cmp.Compare(a.idf, b.idf) })
			if len(others) == 0 {
				var err error
				others, err = u.standIns(c, n)
				if err != nil {
					return nil, err
				}
			}
		}
		u.others = others
		if !u.entire && len(others) > 0 {
			// Nobody wrote this word: its rarest synonym stands in for it, or what it spells.
			others[0].surface, others[0].place, others[0].others = u.surface, u.place, others[1:]
			u = others[0]
		}
		out = append(out, u)
	}
	slices.SortStableFunc(out, func(a, b unit) int { return -cmp.Compare(a.mass(), b.mass()) })
	heaviest := 0.0
	for _, u := range out {
		if u.known {
			heaviest = u.mass()
			break
		}
	}
	keep := 0
	for keep < min(len(out), maxUnits) && (keep < passageWords || out[keep].mass() >= leastMass*heaviest) {
		keep++
	}
	return out[:keep], nil
}

// idf is BM25's inverse document frequency, never negative, with the prior's documents
// counted in; word is what the term belongs to.
func idf(n, df int, word string) float64 {
	seen := float64(df) + prior(word)
	return math.Log(1 + (float64(n)+priorSize-seen+0.5)/(seen+0.5))
}

// A brain of ten cards knows nothing of how common a word is: "test" in one of them looks as rare as "allowlist". So
// every brain is counted as if priorSize further documents of software talk stood beside it, in which the words below
// are common and all others are not. On a brain of thousands the prior vanishes.
const (
	priorSize = 100
	// commonShare is the share of the prior's documents that hold a common word, restShare that of any other.
	commonShare = 0.25
	restShare   = 0.005
)

// commonWords are what any talk about software is made of, whatever it is about.
const commonWords = `
add build call change check code command create data debug default delete developer edit enable error example feature file find fix folder function
general handle implement improve install issue line list local manage method mode move name new number object open option order output page part path
point problem process program project read refactor remove rename replace request result return review run save script search section select send server
service set setup show simple start state step stop string support switch system table task team test text thing time title tool type understand update
use user value variable version view work write wrong explain learn question answer app application api client page site web website content component
different difference difficult easy good great better best first last next previous current old right left full same second two three one many several
begin end way week day today month year people person someone customer include contain provide require allow become keep leave let look put say see seem take tell think
try turn wait talk tell mention discuss share chat conversation remember remind recommend suggest happen mean speak ask much lot recent recently case form go group idea instead kind level part place plan reason side word world large small long short high low real whole common important possible available
추가 수정 변경 생성 삭제 작성 구현 실행 사용 확인 기능 코드 파일 문제 오류 에러 방법 설명 테스트 화면 페이지 데이터 함수 서버 사용자 프로젝트 설정 처리 만들 만들어
알려 정보 내용 목록 이름 시간 결과 버전 개발 작업 요청 시작 적용 관리 버튼 서비스 시스템 기본 부분 경우 필요 가능 이용 선택 입력 출력 값 앱 api 글 문서 예제 예시 오늘 사람 하나
`

// common holds the common words as index terms; Korean ones as the words they are, since
// their bigrams belong to other words too.
var common = sync.OnceValue(func() map[string]bool {
	m := map[string]bool{}
	for _, t := range terms.Words(strings.TrimSpace(commonWords)) {
		m[t.Text] = true
	}
	return m
})

// prior returns how many of the prior's documents hold a word.
func prior(word string) float64 {
	if common()[word] {
		return commonShare * priorSize
	}
	return restShare * priorSize
}

// twinLeast is what a page needs of its translation's score: one that says less is not up to date.
const twinLeast = 0.5

// languages are those of questions, as folders are named for them.
var languages = [...]string{"en", "ko"}

// twin returns what a file's translation is called, "" where its folders name no other language.
func twin(path, language string) string {
	for start := 0; ; {
		n := strings.IndexByte(path[start:], '/')
		if n < 0 {
			return ""
		}
		if f := path[start : start+n]; f != language && slices.Contains(languages[:], f) {
			return path[:start] + language + path[start+n:]
		}
		start += n + 1
	}
}

// preferTwins has pages in the language of the question change places with translations that stand before them: they
// say the same, and names that both hold cannot tell them apart. Other hits stay where they are.
func preferTwins(hits []Hit, language string) {
	var at map[string]int
	for i := range hits {
		path := twin(hits[i].Card.Path, language)
		if path == "" {
			continue
		}
		if at == nil {
			at = make(map[string]int, len(hits))
			for j, h := range hits {
				at[h.Card.Path] = j
			}
		}
		j, ok := at[path]
		if !ok {
			continue
		}
		other, own := &hits[i], &hits[j]
		if own.Score >= other.Score || own.Score < twinLeast*other.Score {
			continue
		}
		own.Boost("language", other.Score/own.Score)
		other.Boost("language", own.Score/other.Score)
		own.Score, other.Score = other.Score, own.Score
	}
}

// Boost notes that the score was multiplied with a factor, by the name of why.
func (h *Hit) Boost(name string, factor float64) {
	if h.Boosts == nil {
		h.Boosts = map[string]float64{}
	}
	h.Boosts[name] = factor
}
