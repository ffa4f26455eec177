package postcheck

import (
	"strings"
	"sync"

	"handrail/lessons/terms"
)

// concept marks the name of a glossary entry, so that it meets no plain word.
const concept = "="

// rows are words that mean the same in a software answer, Korean and English, a concept
// a line. The first English word names it.
const rows = `
check verify validate confirm ensure inspect assert examine guard checked verified 확인 검증 점검 검사 체크 검토
add insert create introduce append include 추가 생성 삽입 넣 넣는다 넣고 작성 만들 만든다 만든 만들어 도입
remove delete drop erase strip 삭제 제거 지우 없애
change update modify edit alter adjust 수정 변경 바꾸 갱신 업데이트 고치
use apply employ adopt utilize 사용 적용 이용 쓰 활용
run execute invoke launch perform 실행 수행 돌리 구동
set configure assign specify define 설정 지정 구성 정의
write save store persist record 저장 기록 쓴다 쓰고 남긴다 남기지 보관
read load fetch retrieve 읽 불러 조회 로드
send emit post transmit 전송 보내 발송
return respond 반환 응답 돌려
close release dispose free 닫 해제 종료
open 열 오픈
call 호출
take make do carry put give
wait await sleep 대기 기다리
keep retain preserve maintain 유지 보존 둔다
allowlist whitelist allow-list allowed 허용목록 허용리스트 화이트리스트 허용
denylist blacklist blocklist block 차단 차단목록 블랙리스트
backup snapshot dump 백업 스냅샷
restore recover 복원 복구
test spec 테스트 시험
migration migrate 마이그레이션 이전
error exception failure fail 오류 에러 예외 실패
log logging logged 로그 로깅
token 토큰
secret credential password 비밀번호 시크릿 비밀 암호 자격증명
key 키
retry reattempt 재시도 리트라이
timeout deadline 타임아웃 시간초과 제한시간 시간제한
transaction 트랜잭션
index indices 인덱스 색인
cache 캐시
lock mutex 락 잠금 뮤텍스
race concurrency concurrent 경쟁 동시성 동시 레이스
rollback revert undo 롤백 되돌리 원복
deploy release rollout 배포 릴리스
permission authorization authorize privilege 권한 인가
authentication authenticate login signin 인증 로그인
input 입력
output 출력
user 사용자 유저
client customer 클라이언트 고객
server backend 서버 백엔드
file 파일
path directory folder 경로 폴더 디렉터리 디렉토리
encoding encode charset utf-8 utf8 인코딩 문자셋
bom 바이트순서표
timezone tz 시간대 타임존
utc 협정세계시 표준시
date day 날짜 일자
time 시각 시간
query 쿼리 질의
database db 데이터베이스 디비
table 테이블
column field 컬럼 열 필드 칼럼
row record 행 레코드
request 요청
response reply 응답
header 헤더
body payload 본문 페이로드
message 메시지
queue 큐 대기열
worker 워커
thread goroutine 스레드 고루틴
memory heap 메모리
leak 누수
null nil none undefined 널
empty blank 비어 빈값 공백
default 기본 기본값 디폴트
limit bound cap maximum max 제한 한도 상한 최대
rate 속도 비율
size length 크기 길이
page pagination 페이지 페이징
order sort 순서 정렬
duplicate duplication dedup 중복
unique 고유 유일
idempotent idempotency 멱등 멱등성 멱등키
version 버전
dependency dependencies 의존성
package 패키지
build compile 빌드 컴파일
config configuration setting 설정값 환경설정
environment env 환경변수 환경
production prod 운영 프로덕션 상용
staging 스테이징
review 리뷰
comment 주석 댓글
document docs documentation 문서 문서화
schema 스키마
type 타입 자료형
parse parser 파싱 파서
escape sanitize 이스케이프 새니타이즈 무해화
encrypt encryption 암호화
hash 해시
certificate cert tls ssl 인증서
network connection 네트워크 연결 커넥션
pool 풀
batch bulk 배치 일괄
loop iterate 반복문 루프 반복
async asynchronous 비동기
state 상태
effect 이펙트 효과
cleanup 정리
hook 훅
component 컴포넌트
render 렌더 렌더링
button 버튼
command 명령 명령어 커맨드
bot 봇
chat 채팅 대화방
webhook 웹훅
alert notification notify 알림 경보
monitor monitoring metric 모니터링 지표 메트릭
export 내보내기 내보낸 익스포트
import 가져오기 임포트
download 다운로드 내려받
upload 업로드 올리
excel spreadsheet 엑셀
currency money amount 금액 통화 화폐
round rounding 반올림
locale language 언어 로케일
korean hangul 한글 한국어
context 컨텍스트
signature 서명 시그니처
expire expiry expiration 만료 유효기간
refresh 새로고침 갱신토큰
cancel 취소
mock stub 목 모킹
seed fixture 시드 픽스처
flaky unstable 불안정
fixed pinned pin 고정
branch 브랜치
commit 커밋
merge 병합 머지
mask redact 마스킹 가림 가리
plain plaintext 평문
`

// verbRows is how many of the rows, from the top, are verbs of the trade.
const verbRows = 17

// glossary maps a word, as terms.Words gives it, to its concept.
var glossary = sync.OnceValue(func() map[string]string {
	m := map[string]string{}
	for _, row := range table() {
		for _, w := range row {
			cut := terms.Words(w)
			if len(cut) != 1 {
				continue
			}
			if _, taken := m[cut[0].Text]; !taken {
				m[cut[0].Text] = row[0]
			}
		}
	}
	return m
})

// verbs holds the concepts that are verbs of the trade.
var verbs = sync.OnceValue(func() map[string]bool {
	m := map[string]bool{}
	for i, words := range table() {
		if i < verbRows {
			m[concept+words[0]] = true
		}
	}
	return m
})

func table() [][]string {
	var out [][]string
	for line := range strings.Lines(strings.TrimSpace(rows)) {
		out = append(out, strings.Fields(line))
	}
	return out
}
