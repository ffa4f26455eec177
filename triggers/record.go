package triggers

import "sync"

// A request to record asks that what just happened be kept as a lesson: by that word, as
// a mistake not to be made again, or by a bare "record this". Recording something else
// (a video, a log line, a setting) is work like any other.

// englishRequests finds requests to record in English.
var englishRequests = sync.OnceValue(func() grammar {
	words := english()
	words["keep"] = `record|save|log|capture|write(?: down| up)?|note(?: down)?|jot(?: down)?|store|keep|add|create|make|file|remember|memori[sz]e|document|turn|put|draft|register|persist|stash|save|open|start|produce|generate|commit|append|archive|convert|extract|formulate`
	words["lesson"] = `lessons?(?: learned| learnt)?|lesson[- ]cards?|lessons file|gotchas?|pitfalls?|learnings?|takeaways?|post-?mortems?|qa[- ]?findings?|playbooks?|handrail cards?|handrail|memory cards?|experience cards?|mistake cards?|knowledge cards?|retrospective notes?|guardrails?|railings?|cautionary tales?`
	words["fault"] = `mistakes?|failures?|blunders?|screw-?ups?|mess-?ups?|fuck-?ups?|root causes?|slip-?ups?|oversights?|faux pas|incidents?|what (?:went wrong|happened|we learned|we learnt|i learned|broke|caused (?:it|this|that)|just happened|the cause was)|findings?|insights?|bug pattern|trap|stumbling block|debugging (?:session|story)|experience`
	words["end"] = `(?: please| pls| plz| too| as well| down| somewhere| now| then| for me| thanks| ok| okay)*[.!]*$`
	words["later"] = `for (?:next time|later|the future|future (?:reference|sessions?|use|me|you)|the next time|posterity|the team|everyone|others)|so (?:that )?(?:we|you|i|it|this|nobody|no one|the next|next time|others|future)|in case (?:it|this|we|you)|before (?:we|you|i) forget|as a (?:lesson|reminder|warning|gotcha|note to self|reference)`
	return script{
		words:  words,
		edge:   `\b`,
		clause: `[,;:()]| but | yet | and then `,
		phrases: `
# lesson | gotcha | pitfall | learning | takeaway | mortem | finding | playbook | handrail | card | guardrail | railing | tale
^(?:{please})?(?:{keep}) (?:\S+ ){0,9}?(?:{lesson})\b
(?:{please})(?:{keep}) (?:\S+ ){0,5}?(?:{lesson})\b
(?:this|that|it) (?:\w+ )?(?:deserves|needs|should (?:be|become|get|have|go)|must (?:be|become|go)|belongs|goes|is worth|ought to be|would (?:be|make)|has to (?:be|become|go)|calls for|makes) (?:\w+ ){0,4}(?:{lesson}|card)
(?:want|need|like) (?:\w+ ){0,3}(?:recorded|saved|kept|written down|noted|captured|documented|stored|logged) (?:as|in|under|for) (?:\w+ ){0,2}(?:{lesson})
(?:want|need|would like|id like|worth|lets have|we need) (?:to (?:have|keep|make|write|record|add) )?(?:a|an|another) (?:new )?(?:{lesson}|card)(?: \w+)? (?:about|for|on|from|out of|of) 
^(?:{please})?(?:update|extend|amend|append to) (?:\w+ ){0,2}(?:{lesson}) (?:with|about|to include|from)
^(?:{please})?(?:{lesson})(?: learned| learnt)? ?(?:to (?:record|keep|save|remember|note))\b
^(?:{lesson}) ?:
^(?:{please})?(?:{keep}|turn|make|convert) (?:this|that|it|these|what|everything|the whole \w+|our|all) (?:\S+ ){0,6}?(?:card|checklist|rule for next time|lesson)\b
(?:add|make|create|write|open|start) (?:a|an|another|one|one more|the) (?:new )?(?:{lesson}|(?:lesson |handrail |mistake )?card)(?:$|[.!]| (?:for|about|from|on|out|that|so|because|please|of))

# brain | memory | lessons | notes
^(?:{please})?(?:put|add|save|store|write|record|commit|push|file|keep|log|append) (?:this|that|it|these|what \w+ \w+|the \w+) (?:\w+ ){0,4}?(?:in|into|to|under|in to|onto) (?:the |our |your |my )?(?:brain|long-?term memory|memory|memories|lessons?(?: folder| file| list)?|experience memory|knowledge base|team knowledge)
commit (?:this|that|it) to memory

# remember | record | note | write | jot | log | save | capture | forget | document | keep | memori | store
^(?:{please})?(?:record|remember|memori[sz]e|note|write|jot|capture) (?:this|that|it|this one|that one|all (?:of )?(?:this|that)|these)(?: down)?{end}
^(?:{please})?(?:record|remember|note|write|jot|save|log|capture|keep|store|document|memori[sz]e) (?:this|that|it|this one|that one|these|what \w+ \w+)(?: down| somewhere| in mind)? (?:\w+ )?(?:{later})
^(?:{please})?(?:record|remember|note|write|jot|capture|log|save|keep|store|document|memori[sz]e)(?: down)? (?:this|that|the|our|your|my|these|those|what)? ?(?:\w+ ){0,2}?(?:{fault})(?:{end}|,| (?:{later})| (?:somewhere|here|in the|we|you|i|that|and|with|from|to the|into the|for))
^(?:{please})?(?:make|take|leave|keep|put) (?:a |yourself a |me a |us a )?(?:\w+ )?(?:note|record|reminder|memo) (?:of|about|on|that|for|to self|to yourself) (?:this|that|the|our|your|my|what|it|these)(?: \w+)?(?: (?:{fault}))?{end}
^(?:{please})?(?:make|take|leave|keep) (?:a |yourself a )?(?:\w+ )?(?:note|record) of (?:\w+ ){0,3}(?:{fault})
^(?:{please})?(?:jot|write|note) (?:this|that|it) down\b
^(?:record|note to self) ?:
^(?:{please})?(?:record|note down|jot down|write down|remember)[ :,]+(?:always|never|dont|do not|we must|you must|next time)\b
(?:dont|do not|never|lets not|cant|must not|mustnt|shouldnt|better not) (?:ever )?(?:forget|lose) (?:this|that|about this|these)(?: \w+)? ?(?:{fault}|lesson|one|bug|again|time|learning)?{end}
(?:dont|do not|never) (?:ever )?forget (?:this|that|the|our|your) (?:\w+ )?(?:{fault}|lesson)
(?:we|you|i) (?:should|must|need to|have to|better|ought to|really should|gotta) (?:really |definitely |always |just )?(?:record|remember|write (?:this|that|it) down|note|document|save|capture|keep) (?:this|that|it|what)(?: one| down| mistake| lesson)?(?:{end}| (?:{later})| (?:happened|went wrong|we learned|somewhere|and))
(?:this|that|it) (?:should|must|needs to|has to|ought to) (?:be|get) (?:recorded|remembered|written down|noted|documented|saved) (?:{later}|somewhere|as)
(?:this|that|it) (?:is |was )?(?:one )?(?:is )?worth (?:recording|remembering|writing down|noting|keeping|a (?:card|lesson|note))`,
		never: `
\b(?:dont|do not|no need to|never|stop|without|shouldnt|should not|not to|not necessary to|neednt|need not|no reason to|rather not|instead of|dont bother|dont have to|do not need to|didnt ask (?:you )?to|who asked you to) (?:\w+ )?(?:record|recording|save|saving|log|logging|note|noting|remember|remembering|creat\w+|writ\w+|mak\w+|add\w*|document\w*|stor\w+|keep\w*|captur\w+)\b
\b(?:piano|music|english|math|maths|driving|language|video|course|school|online|swimming|guitar|yoga|tennis|french|spanish|german|korean|history|first|next|previous|chess|dance|singing|ski|golf) lessons?\b
\blessons?[- ](?:plans?|tables?|pages?|components?|models?|views?|schemas?|lists?|ids?|controllers?|services?|entit\w+|screens?|repositor\w+|apis?|endpoints?|bookings?|schedules?|content|videos?|players?|progress|forms?|titles?|durations?|prices?|objects?|class(?:es)?|modules?|routes?|buttons?|fields?|templates?|parser|index|count|view|quiz\w*|materials?|slots?|calendar|app)\b
\b(?:students?|teachers?|pupils?|tutors?|learners?|course|courses|curriculum|kids|quiz|diary|instructors?)\b
\b(?:the |a |each |our )?(?:users?|clients?|players?|customers?|visitors?) (?:can|should|must|may|will|needs?|wants?|to|could|has|have)\b
\bif the (?:model|user|app|client|player|server)\b
\b(?:button|page|form|endpoint|table|column|field|feature|function|method|component|migration|schema|script|class|modal|dialog|screen|model with|api|label|icon|menu|checkbox|unit test|test case|middleware|hook)s?\b
\b(?:video|audio|screencast|macro|sound|voice|gif|microphone|webcam|playback|sales|dns|mx|txt record|cname)\b
\b(?:to|in|into|as) (?:the |a |an |our |my )?(?:\w+ )?(?:file|log|logfile|logs|database|db|table|disk|redis|s3|json|csv|yaml|localstorage|local storage|cookie|cookies|session storage|stdout|stderr|console|sentry|spreadsheet|changelog|readme|clipboard)\b
\bper (?:user|request|day|session|minute|hour)\b
^(?:how|where|why|when|what|which|who|does|do|did|is|are|was|were|has|have)\b
\bdo you (?:still )?remember\b|\bi (?:cant|dont|cannot|do not) remember\b|\bremember me\b|\bremember to\b|\bas (?:far as )?i remember\b
\bremember that (?:the|it|we|this|a|an|our|you|i|there|all|every|some|in|on|when|if)\b
\b(?:show|list|read|summari[sz]e|search|delete|remove|open|find|translate|count|sort|review|display|print|explain|rename|edit|move|archive|ignore|apply|use|check) (?:me )?(?:\w+ ){0,3}(?:lessons?|gotchas?|pitfalls?|cards?|learnings?|takeaways?)\b
\b(?:blog ?post|article|essay|novel|story|poem|slides|presentation|talk|newsletter|speech)\b
\b(?:card (?:component|layout|number|payment|game|grid|view|list|deck|design|style|reader|stack|shadow|ui)|credit card|business card|id card|trello|debit card|sim card|graphics card|video card|profile card|product card|gift card|flash ?cards?|score ?card|stylesheet)s?\b
\b(?:note|keep in mind) that\b`,
		before: `
\b(?:if|whether|unless|when(?:ever)?|after|every time|once)\b .*\b(?:record|save|log|store|remember|note|write|capture|keep)\b
\b(?:it|that|which|app|system|server|service|tool|bot|agent|they) (?:records?|saves?|logs?|stores?|remembers?|writes?|keeps?|captures?)\b`,
		after: `
 (?:is|are|was|were|isnt|doesnt|does|has|looks|seems|says|shows) (?:the |a |not |no |missing|wrong|broken|outdated|stored|saved)`,
	}.compile()
})

// koreanRequests finds requests to record in Korean.
var koreanRequests = sync.OnceValue(func() grammar {
	words := korean()
	words["lesson"] = `교훈|레슨|lessons?|레쓴|gotcha|pitfall|포스트모템|postmortem|회고|시행 ?착오|삽질기?|실수 ?노트|오답 ?노트|실수 ?카드|경험 ?카드|기억 ?카드|지식 ?카드|교훈 ?카드|레슨 ?카드|lesson ?card|카드|플레이북|playbook|qa ?finding|주의 ?사항|체크 ?리스트|노하우|배운 ?(?:점|것|거)|배웠|깨달은 ?(?:점|것|거)|재발 ?방지 ?카드|난간`
	words["fault"] = `실수|실책|삽질|장애 ?원인|원인|사고|시행 ?착오|잘못|문제|버그|이슈|장애|함정|사례|경험|고생|해결 ?(?:방법|과정|법)|해결책|원인과|실패|케이스|과정|에러`
	words["this"] = `이거|이건|이걸|이것|이것도|이거도|이 ?내용|이 ?건|방금 ?(?:거|건|그거|것|일|한 ?거|내용|실수|상황)|이번 ?(?:거|건|일|것|내용|실수|장애|사고|문제|삽질|버그|케이스|이슈|사례)|그거|그건|그걸|이런 ?거|이런 ?건|저거|지금 ?(?:거|건|이거|내용|한 ?거|상황)|여기까지|오늘 ?(?:거|일|건|내용|배운 ?거|삽질|실수)|이 ?(?:실수|문제|버그|교훈|사례|사고|장애|이슈|삽질|케이스|경험)|얘|위 ?내용|이 ?대화|이번에 ?\S+ ?거`
	words["keep"] = `기록|메모|저장|남[겨기길]|적[어자어을]|기억|박제|정리|등록|추가|만들|만드|써|올려|올리|넣|카드 ?화|작성|기재|보관|쟁여|챙겨|추려|생성|업데이트|반영|record|save|add|note|메모리`
	// What closes an order.
	words["do"] = `(?:을|를|은|는|도)? ?(?:좀|꼭|잘|하나|다|바로|제대로|확실히|따로|다시)? ?(?:해|하자|해 ?줘|해 ?주세요|해 ?주라|해 ?줄래|해 ?줄 ?수|해 ?둬|해 ?두자|해 ?두세요|해 ?두고|해 ?두면|해 ?둡시다|해 ?둘래|해 ?둘 ?것|해 ?놔|해 ?놓자|해 ?놓고|해 ?놓으|해라|합시다|하고|해야|할게|하렴|하면 ?좋|하는 ?게 ?좋|하도록|하길|부탁|ㄱㄱ|고고|ㄱ$|ㄱ[ !.]|바람|바랍|요망|필요|각|감이|$|[!.~]+$)`
	words["put"] = `(?:어|여|겨|려|아|워|해)? ?(?:줘|주세요|주라|주렴|줄래|줄 ?수|주십|주면|줬으면|둬|두자|두세요|두고|두면|둡시다|둘 ?만|두는|놔|놓자|놓고|놓으|놓아|놔라|라$|야 ?(?:해|돼|겠|지|함|됨)|자$|자[.!~ ]|요$|$|[!.~]+$|달라|다오|드려|보자|부탁)`
	return script{
		words:  words,
		clause: `[,;:()]|(?:는데|은데|건데|인데|니까|지만|더니|거든요?|고요|구요|잖아요?|[졌됐났했었았렸웠쳤]어|네요?|어요|니다|됐다|했다|했음) `,
		phrases: `
# 기록 | 메모 | 박제 | 카드화 | 카드 화
^(?:[^\s,]{1,6}[ ,.!]+){0,3}?(?:{this})?\S{0,2} ?(?:꼭|좀|잘|다|반드시|일단|이제|제발|나중에|바로|어디|어딘가에?|따로)? ?(?:기록|메모|박제|카드 ?화)(?:{do})
(?:{this})\S{0,2} (?:[^\s,]+ ){0,3}?(?:기록|메모|박제|카드 ?화)(?:{do})
(?:{fault})\S{0,4} (?:[^\s,]+ ){0,4}?(?:기록|메모|박제|카드 ?화)(?:{do})
(?:다음|나중|앞으로|다음번|재발|같은 ?(?:일|실수)|두 ?번 ?다시|잊지|잊어버리|까먹|반복)\S{0,4} (?:[^\s,]+ ){0,5}?(?:기록|메모|카드 ?화)(?:{do})

# 기억
^(?:[^\s,]{1,6}[ ,.!]+){0,2}?(?:{this})?\S{0,2} ?(?:꼭|좀|잘|다|반드시|이제|제발)? ?기억(?:해 ?둬|해 ?두|해 ?놔|해 ?놓|해라|해$|해[.!,]|해 ?줘|해 ?주|하자|하고 ?있어|하세요|해야)
(?:{this}|실수|교훈|삽질)\S{0,3} (?:[^\s,]+ ){0,3}?기억(?:해 ?둬|해 ?두|해 ?놔|해 ?놓|해라|해$|해[.!,]|해 ?줘|해 ?주|하자|하고 ?있어|하세요|해야)
(?:{this}|이 ?실수|교훈)\S{0,3} (?:[^\s,]+ )?(?:잊지|까먹지) ?(?:마|말)

# 교훈 | 레슨 | 레쓴 | lesson | gotcha | pitfall | 모템 | mortem | 회고 | 착오 | 삽질 | 노트 | 카드 | 플레이북 | playbook | finding | 주의 | 체크리스트 | 체크 리스트 | 노하우 | 배운 | 배웠 | 깨달 | 난간
(?:{lesson})\S{0,3} (?:[^\s,]+ ){0,4}?(?:기록|메모|저장|박제|정리|등록|추가|작성|생성|기재|보관|업데이트|반영|record|save|add|note)(?:{do})
(?:{lesson})\S{0,3} (?:[^\s,]+ ){0,4}?(?:남|적|만들|써|올|넣|쟁|챙|추)(?:{put})
(?:{lesson})(?:기록|저장|정리|추가|등록|작성) ?(?:해|하|부탁|$)
(?:{lesson}) ?(?:추가|기록|등록|저장|메모) ?[:：]
(?:{lesson})(?:이네|이다|감이|감|거리|각|이야|이구나|이군|네)\S{0,3} (?:[^\s,]+ )?(?:저장|기록|메모|남|적|추가|카드|등록)
(?:기록|저장|메모|정리|남겨|적어)\S{0,3} (?:[^\s,]+ ){0,3}?(?:교훈|레슨|lesson|실수 ?노트|오답 ?노트)(?:으로|에|로|카드)
^(?:[^\s,]{1,6} ){0,2}?(?:교훈|레슨|lesson) ?[:：]

# 남 | 적어 | 적자 | 써
(?:{this}|실수|삽질\S*|배운 ?\S+)\S{0,3} (?:[^\s,]+ ){0,4}?(?:남겨|남기|적어|써) ?(?:둬|두|놔|놓)\S*
(?:다음|나중|앞으로|다음번|재발|같은 ?(?:일|실수)|두 ?번 ?다시|반복)\S{0,4} (?:[^\s,]+ ){0,6}?(?:남겨|적어|써) ?(?:둬|두|놔|놓|줘)\S*
(?:이런|이|그|같은|방금|이번) ?(?:실수|삽질|교훈)\S{0,3} (?:[^\s,]+ ){0,4}?(?:남|적)(?:{put})

# brain | 브레인 | handrail | 핸드레일 | 메모리에 | 기억에 | 지식 베이스 | 지식베이스
(?:brain|브레인|handrail|핸드레일|장기 ?기억|지식 ?베이스)\S{0,3} (?:[^\s,]+ ){0,3}?(?:기록|저장|추가|등록|메모|정리)(?:{do})
(?:brain|브레인|handrail|핸드레일|장기 ?기억|지식 ?베이스)\S{0,3} (?:[^\s,]+ ){0,3}?(?:남|적|넣|올|써|박)(?:{put})
(?:{this})\S{0,2} (?:메모리|기억)에 (?:저장|남|넣|추가|새)\S*`,
		never: `
(?:기록|저장|메모|적|남기|추가|등록|만들|남길|적을|기록할|저장할|카드)(?:하|을|를|은|는)? ?(?:지 ?(?:마|말|않)|필요 ?(?:는 |가 |도 )?없|는 ?말|까지는? ?(?:않|말|없)|안 ?해도|말고|마$|마[.! ])
(?:굳이|안) ?(?:남길|남겨도|기록|적어도|적을|저장|메모|추가)
(?:피아노|영어|수학|음악|온라인|운전|기타|수영|골프|테니스|요가|과외|댄스|보컬|발레|스키|개인|그룹|무료|체험) ?(?:레슨|수업)
(?:레슨|수업) ?(?:예약|모델|앱|테이블|페이지|목록|가격|일정|스케줄|영상|등록 ?(?:화면|페이지|폼)|엔티티|api|상세|신청|결제|필드)
(?:교훈|레슨|회고|카드|노하우)\S{0,3} ?(?:\S+ )?(?:보여|찾아|삭제|지워|조회|알려|읽어|뭐|무엇|뭔|요약|목록|몇 ?개|어디|언제|있어\??$|있나|있는지|얻을 ?수|번역|검색|열어|무시|정렬)
교훈적인|교훈 ?(?:동화|이야기|우화)|오답 ?노트(?:에|를|를 ?) ?\S* ?\S* ?(?:기능|앱|화면)
(?:신용|체크|명함|프로필|상품|결제|교통|그래픽|트렐로|칸반|유심|게임|멤버십|선물|학생|회원) ?카드|카드 ?(?:결제|번호|컴포넌트|레이아웃|ui|뷰|게임|목록|디자인|섹션|리스트|승인|사)
(?:로그|파일|디비|db|데이터베이스|테이블|엑셀|시트|화면|영상|음성|소리|동영상|디스크|레디스|쿠키|로컬 ?스토리지|localstorage|콘솔|액세스|감사|통계|센트리|sentry|매크로|s3|csv|json|yaml|txt|readme|리드미|changelog|체인지로그|커밋 ?메시지|주석|코멘트|댓글|pr|todo|노션|notion|슬랙|위키|클립보드|변수|캐시|세션|스토리지|폴더)(?:에|에다|에도|로|으로|를|을|는|만|가|이|에만)? ?(?:\S+ ){0,3}?(?:기록|저장|메모|남|적|추가|써)
(?:기능|함수|메서드|버튼|컴포넌트|컬럼|미들웨어|스크립트|클래스|페이지|엔드포인트|훅|테스트 ?코드|필드|체크박스|api|모달|폼|메뉴)(?:을|를|도|이|은|는|에)? ?(?:\S+ ){0,2}?(?:추가|구현|작성|만들|넣|수정|짜|기획|개발)
(?:기록|저장|메모|기억) ?(?:하는|되는|할|하도록|되도록|하게|되게|용|된|한 ?(?:거|것|내용|파일|데이터)|했[어던는지나]|했는데|됐|되[어나지]|하면|이 ?안|이 ?나|나\??$|상실|력|장치|안 ?나|앱|관리)
(?:기록|저장|메모|기억)(?:을|이|은|들을?|내역)? ?(?:보여|찾아|삭제|지워|조회|알려|읽어|정리|언제|어디|초기화|복구|비교|백업|옮|분석|열람)
(?:운동|식단|방문|접속|로그인|검색|구매|결제|근무|출석|공부|학습|독서|게임|채팅|대화|거래|작업|변경|수정|배포|커밋|git|신|최고|개인|시청|주행|건강|수면|의료|진료|통화|요청|응답|시간|실행) ?기록
(?:어떻게|어디에?|왜|언제|무엇을|뭘|누가) (?:\S+ ){0,4}?(?:기록|저장|메모|기억|남)
(?:사용자|유저|고객|학생|플레이어|회원)(?:가|이|는|은|의|별|들이)? 
실수로 |실수 ?방지|실수했|(?:기록|레슨|교훈|카드) ?버튼`,
		before: `
(?:하면|되면|나면|으면|할 ?때|날 ?때|할 ?때마다|될 ?때마다|경우) (?:[^\s,]+ ){0,4}?(?:기록|저장|메모|남|적|추가|알림)
(?:자동으로|주기적으로|매번|\d+초마다|실시간으로) (?:[^\s,]+ ){0,3}?(?:기록|저장|남|적|추가)`,
		after: `
\S*(?: \S{1,6})? ?(?:버튼|기능|화면|페이지|앱|api|메서드|함수|로직|테이블|컬럼|코드|문구|필드|메뉴|라는|이라는|라고|테스트)
\S*(?:\?|나요|을까|ㄹ까|할까요?|습니까|는 ?거야|는지)`,
	}.compile()
})

// Classify judges a message by its text alone: which trigger it is, and the words that
// make it so, as written. A request to record wins over a complaint. ok is false when the
// message is neither.
func Classify(text string) (t Trigger, evidence string, ok bool) {
	s := sentences(text)
	for _, g := range []func() grammar{englishRequests, koreanRequests} {
		if e, ok := g().find(s); ok {
			return Record, e, true
		}
	}
	for _, g := range []func() grammar{koreanComplaints, englishComplaints} {
		if e, ok := g().find(s); ok {
			return Complaint, e, true
		}
	}
	return "", "", false
}
