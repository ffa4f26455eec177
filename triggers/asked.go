package triggers

import (
	"hash/fnv"
	"slices"
	"strings"

	"handrail/lessons/terms"
	"handrail/triggers/heard"
)

// askedFor returns the sums of a prompt's content words, in order; ok is false when it says
// too little to be compared. A Korean word counts by its pairs of syllables, for its ending
// and the spaces around it vary.
func askedFor(text string) (sums []uint32, ok bool) {
	text = terms.Normalize(text)
	if len(text) > maxPrompt {
		return nil, false
	}
	content, topic := 0, 0
	for _, w := range terms.Words(heard.OwnWords(text)) {
		word := w.Text
		if w.Class == terms.Hangul {
			word = koreanStem(word)
		}
		if w.Stop || word == "" || askedFiller[word] {
			continue
		}
		content++
		if !routine[word] {
			topic++
		}
		if w.Class != terms.Hangul {
			sums = append(sums, sumOf(word))
			continue
		}
		syllables := []rune(word)
		if len(syllables) == 1 {
			sums = append(sums, sumOf(word))
		}
		for i := range syllables[:len(syllables)-1] {
			sums = append(sums, sumOf(string(syllables[i:i+2])))
		}
	}
	slices.Sort(sums)
	sums = slices.Compact(sums)
	return sums, content >= minAsked && topic >= minTopic && len(sums) <= maxAskedWords
}

func sumOf(word string) uint32 {
	h := fnv.New32a()
	h.Write([]byte(word))
	return h.Sum32()
}

// jaccard returns the share of words that two ordered sets have in common.
func jaccard(a, b []uint32) float64 {
	common := 0
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i] == b[j]:
			common, i, j = common+1, i+1, j+1
		case a[i] < b[j]:
			i++
		default:
			j++
		}
	}
	return float64(common) / float64(max(1, len(a)+len(b)-common))
}

// koreanOrders are endings that ask for something in one tone or another.
var koreanOrders = []string{
	"해주십시오", "해주세요", "해주시겠어요", "해줄래", "해줘요", "해줘", "해봐", "해라", "합시다", "하자", "하세요", "해야지", "해야돼", "해야해",
	"주십시오", "주세요", "줄래", "줘요", "줘", "봐줘", "봐요", "봐", "달라고", "라고", "다고",
}

func koreanStem(word string) string {
	for _, end := range koreanOrders {
		if rest, ok := strings.CutSuffix(word, end); ok {
			return rest
		}
	}
	return word
}

// askedFiller are words that a prompt has whatever it asks for, as terms.Words gives them.
var askedFiller = fold("again now still also really quick actual instead try tri sure great good first next last time back same one two yet more look see let know think right want would could hi hey guy " +
	"다시 또 좀 제발 이거 그거 저거 이건 그건 이제 지금 아직 여전히 계속 그냥 한번 빨리 그럼 그러면 그리고 근데 그런데 해 하 줄 수 것 거 안 못 잘 더 꼭 부탁 부탁드립니다 부탁해 방금 아까 일단 자꾸 왜 진짜")

// routine are words for what is asked for many times a day.
var routine = fold("run test commit push pull merg build deploy lint format review continu go proceed start stop restart check fix add updat chang make creat remov write explain show fail pass work file code branch pr unit " +
	"커밋 푸시 테스트 빌드 배포 머지 실행 돌려 돌리 확인 계속 진행 고쳐 고치 수정 추가 작성 설명 보여 알려 만들 만들어 파일 코드 브랜치 리뷰 린트 시작 변경")

func fold(words string) map[string]bool {
	out := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		out[w] = true
	}
	return out
}
