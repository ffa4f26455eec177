package server

import (
	"errors"
	"time"

	"handrail/index/embed"
)

// Embeddings names a model that turns texts into vectors, and where it is. Without a URL
// there is none, and words alone find what speaks to a query.
type Embeddings struct {
	URL   string // of an OpenAI-compatible endpoint: http or https, on any host the person trusts
	Model string
	Key   string // may be empty; kept in memory alone, never logged
}

// EmbeddingSettings is what one client says of embeddings; nil says nothing. A person who
// has both an editor and an environment that name a model means the editor's.
type EmbeddingSettings struct {
	Editor      *Embeddings // the editor's settings, the zero one when they name no model
	Environment *Embeddings // the HANDRAIL_EMBEDDINGS_… variables
}

// wanted returns what counts.
func (s EmbeddingSettings) wanted() Embeddings {
	for _, e := range []*Embeddings{s.Editor, s.Environment} {
		if e != nil && e.URL != "" {
			return *e
		}
	}
	return Embeddings{}
}

// Embed takes what a client says of embeddings. What it says nothing of stays as it is, and
// the same again changes nothing. It does not wait for the model.
func (s *Server) Embed(said EmbeddingSettings) {
	if s.vectors != nil {
		s.vectors.set(said)
	}
}

// Embedded says which model has a say in what is found, and how many texts have a vector.
type Embedded struct {
	Model string `json:"model"`
	Texts int    `json:"texts"` // those that say the same count once
}

// Notice is something that a person should know once.
type Notice struct {
	Code    NoticeCode `json:"code"`
	Subject string     `json:"subject,omitzero"` // what the sentence is about
}

// NoticeCode names a Notice.
type NoticeCode string

// The notices. All are about the embeddings model; words alone go on finding cards.
const (
	NoticeURL       NoticeCode = "embeddings-url"       // the address is none
	NoticeModel     NoticeCode = "embeddings-model"     // no model is named
	NoticePlainHTTP NoticeCode = "embeddings-plain"     // a key would be sent in the open
	NoticeDown      NoticeCode = "embeddings-down"      // nobody answers
	NoticeRefused   NoticeCode = "embeddings-refused"   // the key is missing or wrong
	NoticeStatus    NoticeCode = "embeddings-status"    // the answer is an error
	NoticeAnswer    NoticeCode = "embeddings-answer"    // the answer holds no vectors
	NoticeSlow      NoticeCode = "embeddings-slow"      // a query waits too long
	NoticeDimension NoticeCode = "embeddings-dimension" // vectors of another length than before
	NoticeStore     NoticeCode = "embeddings-store"     // the vectors cannot be kept
)

var (
	errSlow      = errors.New("no vector within the time a query has")
	errDimension = errors.New("the model makes vectors of another length than before")
	errStore     = errors.New("the vectors cannot be kept on disk")
)

// noticeOf words an error of the model for a person.
func noticeOf(err error, model string) Notice {
	var status embed.StatusError
	switch {
	case errors.Is(err, embed.ErrURL):
		return Notice{NoticeURL, ""}
	case errors.Is(err, embed.ErrModel):
		return Notice{NoticeModel, ""}
	case errors.Is(err, embed.ErrPlainHTTP):
		return Notice{NoticePlainHTTP, ""}
	case errors.Is(err, errSlow):
		return Notice{NoticeSlow, model}
	case errors.Is(err, errDimension):
		return Notice{NoticeDimension, model}
	case errors.Is(err, errStore):
		return Notice{NoticeStore, model}
	case errors.Is(err, embed.ErrAnswer):
		return Notice{NoticeAnswer, model}
	case errors.As(err, &status) && status.Refused():
		return Notice{NoticeRefused, model}
	case errors.As(err, &status):
		return Notice{NoticeStatus, status.Error()}
	}
	return Notice{NoticeDown, model}
}

var noticeText = map[NoticeCode]text{
	NoticeURL:       {"The address in handrail.embeddings.url or HANDRAIL_EMBEDDINGS_URL is not an http or https address without a password. Cards are found by their words.", "handrail.embeddings.url 또는 HANDRAIL_EMBEDDINGS_URL이 비밀번호 없는 http(s) 주소가 아닙니다. 카드는 단어로 찾습니다."},
	NoticeModel:     {"An embeddings address is set, but no model: name one in handrail.embeddings.model or HANDRAIL_EMBEDDINGS_MODEL. Cards are found by their words.", "임베딩 주소는 있지만 모델이 없습니다. handrail.embeddings.model 또는 HANDRAIL_EMBEDDINGS_MODEL에 적어 주세요. 카드는 단어로 찾습니다."},
	NoticePlainHTTP: {"The embeddings key is not sent over plain http to another machine; use https. Cards are found by their words.", "임베딩 키를 암호화되지 않은 http로 다른 컴퓨터에 보내지 않습니다. https를 써 주세요. 카드는 단어로 찾습니다."},
	NoticeDown:      {"The embeddings model %q does not answer. Cards are found by their words until it does.", "임베딩 모델 %q이(가) 응답하지 않습니다. 응답할 때까지 카드는 단어로 찾습니다."},
	NoticeRefused:   {"The embeddings model %q refuses the key, or needs one. Cards are found by their words.", "임베딩 모델 %q이(가) 키를 거부했거나 키가 필요합니다. 카드는 단어로 찾습니다."},
	NoticeStatus:    {"The embeddings model failed: %s. Cards are found by their words until it works.", "임베딩 모델이 실패했습니다: %s. 다시 될 때까지 카드는 단어로 찾습니다."},
	NoticeAnswer:    {"What the embeddings model %q answers is not embeddings. Check the address; cards are found by their words.", "임베딩 모델 %q의 응답이 임베딩이 아닙니다. 주소를 확인해 주세요. 카드는 단어로 찾습니다."},
	NoticeSlow:      {"The embeddings model %q takes longer than a query may wait. Cards are found by their words meanwhile.", "임베딩 모델 %q의 응답이 너무 느립니다. 그동안 카드는 단어로 찾습니다."},
	NoticeDimension: {"The embeddings model %q makes other vectors than before; the cards are embedded anew. Until then they are found by their words.", "임베딩 모델 %q의 벡터가 전과 달라 카드를 다시 임베딩합니다. 그때까지 카드는 단어로 찾습니다."},
	NoticeStore:     {"The vectors of %q cannot be kept on disk and are made anew each time.", "%q의 벡터를 디스크에 보관할 수 없어 매번 다시 만듭니다."},
}

// Notice returns the sentence of a notice.
func (l Locale) Notice(n Notice) string {
	t, ok := noticeText[n.Code]
	switch {
	case !ok:
		return string(n.Code) // of a newer build
	case n.Subject == "":
		return l.say(t)
	}
	return l.say(t, n.Subject)
}

const (
	// firstPause and lastPause bound how long a model that failed is left alone.
	firstPause = 5 * time.Second
	lastPause  = 5 * time.Minute
)
