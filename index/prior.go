package index

import (
	"strings"
	"sync"

	"github.com/handrail-dev/handrail/lessons/terms"
)

// A brain of ten cards knows nothing of how common a word is: "test" in one of them looks
// as rare as "allowlist". So every brain is counted as if priorSize further documents
// of software talk stood beside it, in which the words below are common and all others
// are not. On a brain of thousands the prior vanishes.
const (
	priorSize = 100
	// commonShare is the share of the prior's documents that hold a common word, restShare
	// that of any other.
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
