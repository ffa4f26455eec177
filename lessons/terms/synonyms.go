package terms

import (
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// Synonyms returns other words that developers write for the same thing: a loanword and
// its original ("리액트", "react"), two Korean words ("폰트", "글꼴"). word is a term's text
// as [Words] gives it, and so are the synonyms.
func Synonyms(word string) []string { return synonyms()[word] }

// synonyms maps every word of a group to the others. Two English words are never paired:
// stemming has joined what belongs together, and "delete" is not always "remove".
var synonyms = sync.OnceValue(func() map[string][]string {
	m := map[string][]string{}
	for line := range strings.Lines(synonymGroups) {
		var group []string
		for _, t := range Words(line) {
			if !slices.Contains(group, t.Text) {
				group = append(group, t.Text)
			}
		}
		for _, a := range group {
			for _, b := range group {
				english := max(a[0], b[0]) < utf8.RuneSelf
				if a != b && !english && !slices.Contains(m[a], b) {
					m[a] = append(m[a], b)
				}
			}
		}
	}
	return m
})

// synonymGroups holds one thing a line, in words of the trade that any project may use.
const synonymGroups = `
오류 에러 error
버그 bug
예외 exception
경고 warning
실패 failure fail
충돌 conflict
크래시 crash
로그 log
로깅 logging
디버깅 디버그 debug
배포 deploy deployment
빌드 build
컴파일 compile
컴파일러 compiler
번들 bundle
번들러 bundler
설치 install
업그레이드 upgrade
업데이트 update
마이그레이션 migration migrate
의존성 종속성 dependency
패키지 package
라이브러리 library
프레임워크 framework
모듈 module
플러그인 plugin
확장 extension
컴포넌트 component
위젯 widget
템플릿 template
레이아웃 layout
스타일 style
스타일시트 stylesheet
글꼴 폰트 서체 font
테마 theme
다크 dark
라이트 light
아이콘 icon
버튼 단추 button
메뉴 menu
링크 link
클릭 click
스크롤 scroll
애니메이션 animation
이미지 그림 사진 image
동영상 비디오 영상 video
오디오 audio
미디어 media
썸네일 thumbnail
파일 file
폴더 디렉터리 디렉토리 folder directory
경로 path
라우트 route
라우팅 routing
라우터 router
리디렉션 리다이렉트 redirect
리다이렉션 redirect redirection
엔드포인트 endpoint
미들웨어 middleware
어댑터 adapter
드라이버 driver
페이지 page
사이트 site
웹사이트 website
주소 url
도메인 domain
호스팅 hosting
호스트 host
포트 port
프록시 proxy
서버 server
서버리스 serverless
클라이언트 client
브라우저 browser
네트워크 network
요청 request
응답 response
헤더 header
쿠키 cookie
세션 session
토큰 token
인증 auth authentication
로그인 login
로그아웃 logout
회원가입 signup
비밀번호 암호 패스워드 password
권한 permission
보안 security
암호화 encryption encrypt
취약점 vulnerability
사용자 유저 user
관리자 admin
데이터 data
데이터베이스 디비 database db
테이블 table
컬럼 column
인덱스 색인 index
쿼리 질의 query
트랜잭션 transaction
스키마 schema
모델 model
필드 field
레코드 record
백업 backup
복구 복원 restore
캐시 cache
캐싱 caching
큐 queue
메모리 memory
누수 leak
성능 performance
스레드 쓰레드 thread
프로세스 process
비동기 async asynchronous
동기화 sync
병렬 parallel
동시성 concurrency
교착 데드락 deadlock
타임아웃 timeout
시간대 타임존 timezone
재시도 retry
콜백 callback
이벤트 event
핸들러 handler
리스너 listener
훅 hook
함수 function
메서드 메소드 method
클래스 class
객체 object
인스턴스 instance
인터페이스 interface
변수 variable
상수 constant
매개변수 파라미터 parameter param
인자 인수 argument
옵션 option
속성 attribute property
프롭스 props
배열 array
목록 리스트 list
문자열 string
숫자 number
불리언 boolean
타입 형식 type
제네릭 generic
열거형 enum
반복문 루프 loop
조건부 conditional
정규식 regex
구문 문법 syntax
파서 parser
파싱 parse parsing
직렬화 serialize serialization
인코딩 encoding
디코딩 decoding
렌더링 렌더 render rendering
하이드레이션 수화 hydration
스트리밍 streaming
프리페치 prefetch
프리로드 preload
상태 state
스토어 store
저장소 리포지토리 레포 repository repo
커밋 commit
브랜치 branch
병합 머지 merge
리베이스 rebase
푸시 push
풀리퀘스트 pr
이슈 issue
워크플로 workflow
파이프라인 pipeline
컨테이너 container
가상화 virtualization
클러스터 cluster
환경 environment env
설정 구성 config configuration
스크립트 script
명령 명령어 command
터미널 terminal
콘솔 console
셸 쉘 shell
에디터 편집기 editor
편집 edit
키보드 keyboard
단축키 shortcut
화면 스크린 screen
창 윈도우 window
모달 modal
대화상자 다이얼로그 dialog
팝업 popup
알림 notification
메시지 message
이메일 메일 email mail
댓글 코멘트 comment
주석 comment
게시물 포스트 post
블로그 blog
문서 document documentation
마크다운 markdown
프런트매터 프론트매터 frontmatter
콘텐츠 컨텐츠 content
컬렉션 collection
슬러그 slug
태그 tag
카테고리 category
검색 search
필터 filter
정렬 sort
페이지네이션 pagination
사이트맵 sitemap
피드 feed
폼 양식 form
입력 input
제출 submit
검증 validation validate
유효성 validation
다운로드 download
업로드 upload
가져오기 import
내보내기 export
복사 copy
붙여넣기 paste
삭제 제거 delete remove
추가 add
생성 create
변환 convert transform
압축 compress compression
결제 payment
장바구니 cart
주문 order
정산 settlement
환불 refund
청구 charge billing
구독 subscription
웹훅 webhook
국제화 i18n internationalization
로케일 locale
번역 translation
언어 language
접근성 accessibility
테스트 test
테스팅 testing
단위 unit
모의 mock
커버리지 coverage
벤치마크 benchmark
프로파일링 profiling
최적화 optimization optimize
리팩터링 리팩토링 refactoring refactor
아키텍처 architecture
디자인 design
반응형 responsive
모바일 mobile
아일랜드 island
뷰 view
전환 transition
트랜지션 transition
봇 bot
스케줄러 scheduler
크론 cron
도커 docker
쿠버네티스 kubernetes k8s
리눅스 linux
우분투 ubuntu
깃 git
깃허브 github
깃랩 gitlab
노드 node
자바스크립트 javascript js
타입스크립트 typescript ts
파이썬 python
자바 java
코틀린 kotlin
스위프트 swift
러스트 rust
고랭 golang
루비 ruby
스프링 spring
장고 django
플라스크 flask
레일즈 rails
리액트 react
프리액트 preact
앵귤러 angular
스벨트 svelte
솔리드 solid
넥스트 next nextjs
넉스트 nuxt nuxtjs
개츠비 gatsby
휴고 hugo
지킬 jekyll
워드프레스 wordpress
드루팔 drupal
테일윈드 tailwind
부트스트랩 bootstrap
웹팩 webpack
바벨 babel
레디스 redis
몽고디비 mongodb
포스트그레스 postgres postgresql
마이에스큐엘 mysql
그래프큐엘 graphql
카프카 kafka
엘라스틱서치 elasticsearch
파이어베이스 firebase
수파베이스 supabase
프리즈마 prisma
네틀리파이 netlify
버셀 vercel
클라우드플레어 cloudflare
클라우드 cloud
헤로쿠 heroku
아마존 aws
애저 azure
구글 google
크롬 chrome
파이어폭스 firefox
사파리 safari
엑셀 excel
슬랙 slack
텔레그램 telegram
디스코드 discord
데노 deno
번 bun
지라 jira
오픈에이아이 openai
프롬프트 prompt
에이전트 agent
임베딩 embedding
크기 사이즈 size
너비 폭 width
높이 height
색상 색깔 컬러 color
배경 background
여백 margin padding
텍스트 글자 text
제목 타이틀 title
날짜 date
초기화 initialize reset
새로고침 refresh reload
갱신 renew
만료 expire
무효화 invalidate invalidation
제공자 프로바이더 provider
통합 인테그레이션 integration
플랫폼 platform
프로젝트 project
도구 툴 tool
개발 development dev
프로덕션 production
스테이징 staging
로딩 loading
로더 loader
스피너 spinner
툴팁 tooltip
토스트 toast
드롭다운 dropdown
체크박스 checkbox
사이드바 sidebar
푸터 footer
내비게이션 네비게이션 navigation
그리드 grid
플렉스 flex
에셋 애셋 자산 asset
정적 static
동적 dynamic
지연 lazy delay
원격 remote
로컬 local
스냅샷 snapshot
릴리스 릴리즈 release
버전 version
롤백 rollback
핫픽스 hotfix
린트 린터 lint
포매터 formatter
데코레이터 decorator
프로미스 promise
클로저 closure
이터레이터 iterator
제너레이터 generator
포인터 pointer
참조 레퍼런스 reference
스로틀 throttle
디바운스 debounce
웹소켓 websocket
소켓 socket
메타데이터 metadata
매니페스트 manifest
캡차 captcha
라이선스 license
튜토리얼 tutorial
가이드 guide
예제 예시 example
레시피 recipe
래퍼 wrapper
유틸리티 유틸 utility util
헬퍼 helper
플레이스홀더 placeholder
지시어 디렉티브 directive
슬롯 slot
프래그먼트 fragment
시그널 signal
워커 worker
샌드박스 sandbox
리소스 자원 resource
레이어 계층 layer
스택 stack
힙 heap
해시 hash
해상도 resolution
품질 quality
비율 ratio
클라우디너리 cloudinary
컨텐트풀 콘텐트풀 contentful
스토리블록 storyblok
스트라피 strapi
새니티 sanity
고스트 ghost
프리스믹 prismic
다이렉터스 directus
페이로드 payload
앱라이트 appwrite
센트리 sentry
데이터독 datadog
그라파나 grafana
프로메테우스 prometheus
비테 vite
비테스트 vitest
롤업 rollup
이에스빌드 esbuild
파셀 parcel
이에스린트 eslint
프리티어 prettier
플레이라이트 playwright
사이프레스 cypress
제스트 jest
모카 mocha
셀레니움 selenium
퍼펫티어 puppeteer
스토리북 storybook
뷰제이에스 vuejs vue
알파인 alpine
리믹스 remix
익스프레스 express
패스티파이 fastify
네스트 nestjs
라라벨 laravel
심포니 symfony
패스트에이피아이 fastapi
드리즐 drizzle
타입오알엠 typeorm
하이버네이트 hibernate
시퀄라이즈 sequelize
투르소 turso
플래닛스케일 planetscale
몽구스 mongoose
래빗엠큐 rabbitmq
엔진엑스 nginx
아파치 apache
톰캣 tomcat
젠킨스 jenkins
앤서블 ansible
테라폼 terraform
헬름 helm
포드맨 podman
카산드라 cassandra
다이나모디비 dynamodb
스노우플레이크 snowflake
오라클 oracle
마리아디비 mariadb
에스큐라이트 sqlite
일렉트론 electron
타우리 tauri
플러터 flutter
안드로이드 android
엑스코드 xcode
그레이들 gradle
메이븐 maven
얀 yarn
엔피엠 npm
옥토킷 octokit
피그마 figma
노션 notion
컨플루언스 confluence
스트라이프 stripe
페이팔 paypal
쇼피파이 shopify
트윌리오 twilio
클러크 clerk
오스제로 auth0
옥타 okta
키클록 keycloak
디지털오션 digitalocean
레일웨이 railway
플라이 fly
하트너 hetzner
유튜브 youtube
비메오 vimeo
트위터 twitter
페이스북 facebook
인스타그램 instagram
링크드인 linkedin
레딧 reddit
제미나이 gemini
클로드 claude
코파일럿 copilot
커서 cursor
챗지피티 chatgpt
랭체인 langchain
파이토치 pytorch
텐서플로 텐서플로우 tensorflow
넘파이 numpy
판다스 pandas
주피터 jupyter
허깅페이스 huggingface
`
