package lsp

import "github.com/handrail-dev/handrail/server/say"

type text = say.Text

// say returns a sentence in the person's language.
func (s *session) say(t text, args ...any) string { return t.In(string(s.locale), args...) }

// clip shortens text from outside for a message or a log.
func clip(s string) string { return say.Clip(s, 80) }

// What a session itself has to say. Sentences about cards and their problems are the server's.
var (
	textNotInitialized   = text{"The session has not begun; send initialize first.", "아직 시작하지 않은 세션입니다. initialize를 먼저 보내 주세요."}
	textInitializedTwice = text{"The session has begun already.", "이미 시작한 세션입니다."}
	textShutDown         = text{"The session is shut down; only exit may follow.", "이미 끝낸 세션입니다. exit만 받을 수 있습니다."}
	textUnknownMethod    = text{"There is no request %q.", "%q 요청은 없습니다."}
	textBadParams        = text{"The parameters of %s are not what the protocol says%s.", "%s의 매개변수가 프로토콜과 다릅니다%s."}
	textPanic            = text{"Handrail failed inside %s and goes on; its log says where.", "%s 처리 중 Handrail 내부 오류가 났습니다. 계속 동작하며, 자세한 내용은 로그에 있습니다."}
	textIndexTaken       = text{"Another program keeps the index of this brain, so Handrail reads the cards directly here; it is slower but complete.", "다른 프로그램이 이 brain의 색인을 쓰고 있어 여기서는 카드를 직접 읽습니다. 느리지만 빠짐은 없습니다."}

	textSimilar     = text{"Similar cards:", "비슷한 카드:"}
	textSettle      = text{"Settle counters, dates, lists and items of the merge", "병합의 횟수, 날짜, 목록, 항목 합치기"}
	textSuggest     = text{"suggest what is missing, with a model…", "모델에게 빠진 내용 제안받기…"}
	textSuggestedBy = text{"Suggested by %s", "%s의 제안"}
	textApplies1    = text{"1 lesson applies here", "이 파일에 관한 교훈 1개"}
	textApplies     = text{"%d lessons apply here", "이 파일에 관한 교훈 %d개"}
)
