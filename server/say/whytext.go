package say

// The sentences of Why.
var (
	WhyMatched     = text{"Your words stand in it: %s.", "요청의 말이 카드에 있습니다: %s."}
	WhyAlways      = text{"It comes with every request, as a rule of high severity.", "심각도가 높은 규칙이라 모든 요청에 붙습니다."}
	WhyPath        = text{"It is about a file of the request: %s.", "요청의 파일에 관한 카드입니다: %s."}
	WhyAction      = text{"It came when the agent acted: %s.", "에이전트가 작업할 때 제공했습니다: %s."}
	WhyQuarantined = text{"It was put away as wrong: %s.", "틀린 카드로 보관되어 있습니다: %s."}
	WhyStatus      = text{"Only active cards come; this one is %s.", "활성 카드만 제공합니다. 이 카드의 상태: %s."}
	WhyProject     = text{"It is for the project %s only.", "%s 프로젝트에만 쓰는 카드입니다."}
	WhyPaused      = text{"Lessons are paused; \"handrail pause --off\" ends that.", "교훈을 멈춰 두었습니다. \"handrail pause --off\"로 다시 시작합니다."}
	WhyNever       = text{"You said never for requests like “%s”.", "“%s” 같은 요청에는 쓰지 않기로 했습니다."}
	WhyGiven       = text{"This conversation has it already.", "이 대화에서 이미 받은 카드입니다."}
	WhyRoom        = text{"It fits, but there was no room left beside the cards that fit better.", "맞는 카드이지만 더 잘 맞는 카드들 때문에 자리가 없었습니다."}
	WhyNothing     = text{"None of your words stands in it.", "요청의 말이 카드에 하나도 없습니다."}
	WhyOneWord     = text{"Only %s stands in it, and one word is not enough; it lacks %s.", "%s만 카드에 있는데 한 단어로는 모자랍니다. 없는 말: %s."}
	WhyCommon      = text{"Your words stand in it (%s), but too far apart, or they are too common in this brain.", "요청의 말이 카드에 있지만(%s) 서로 너무 떨어져 있거나 이 brain에서 너무 흔한 말입니다."}
	WhyABit        = text{"It falls a bit short: it has %s, but not %s.", "조금 모자랍니다. 있는 말: %s. 없는 말: %s."}
	WhyFar         = text{"It falls far short: it has %s, but not %s.", "많이 모자랍니다. 있는 말: %s. 없는 말: %s."}
)

// What stands in titles' blocks and new cards.
var (
	NearHeads     = text{"[LESSON TITLES — near this request]", "[교훈 제목 — 이 요청과 가까움]"}                   // the heading of the titles that may concern a request
	MoreHeads     = text{"and %d more", "외 %d개"}                                                         // how many cards are not named
	WhatWentWrong = text{"The rule or the mistake in 4 to 14 words, no area", "분야가 아니라 규칙이나 실수를 한 문장으로"} // in a new card where its title is to come
	NewLesson     = text{"new lesson", "새 교훈"}                                                           // names the file of a card that has no title yet
)
