// Package near finds texts that mean nearly the same, by an embeddings model that a person
// named. It asks the model, keeps its vectors in one flat file and compares them. It is the
// only place of Handrail that speaks to a network, and only to the host that was named. It
// does not know what the texts are.
package near

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"time"
)

const (
	// lateWait is how long the model may take to finish what nobody waits for any more: it
	// may be loading, and the next query gains by that.
	lateWait = 20 * time.Second
	// batchWait is how long it may take over a batch of texts.
	batchWait = 2 * time.Minute
	// batchTexts is small, so that a query need not wait long behind a batch.
	batchTexts = 8
	// maxFlights is how many queries may be with the model at a time.
	maxFlights = 4
	// shortText is what is sent of a text that the model refuses, in bytes.
	shortText = 1000
	// firstPause and lastPause bound how long a model that failed is left alone.
	firstPause = 5 * time.Second
	lastPause  = 5 * time.Minute
)

// Options say what a Near works with. No function may call the Near.
type Options struct {
	Config
	Dir   string                                            // folder of the vectors' file
	Wait  time.Duration                                     // how long a query waits for its vector
	Log   *slog.Logger                                      //
	Ready <-chan struct{}                                   // closed when the functions below can answer
	Names func() map[Key][]string                           // all texts, with at least one name each
	Text  func(key Key, name string) (text string, ok bool) // what the model is sent; not ok when it has changed
	Tell  func(error)                                       // hears of the first failure, and when vectors cannot be kept
}

// Near is one model and its vectors. Texts are embedded in the background. It is safe for
// concurrent use.
type Near struct {
	Options
	client  *client
	vectors *vectors // not before opened is closed

	ctx     context.Context // ends with Close
	cancel  context.CancelFunc
	wg      sync.WaitGroup // every goroutine
	wake    chan struct{}
	flights chan struct{} // a slot for each query that is with the model
	opened  chan struct{}
	empty   map[Key]bool // texts that have no vector; of run alone

	mu       sync.Mutex // guards the fields below
	names    map[Key][]string
	complete bool          // every text has a vector, or can have none
	failing  bool          // the model fails
	news     chan struct{} // closed when one of the two changes
	busy     bool          // texts are being embedded: a query may have to wait for that
	doubt    bool          // a query's vector has another length: ask again how long they are
	until    time.Time     // the model is left alone till then
	pause    time.Duration
	told     bool // the person knows
}

// Open returns a Near that reads its vectors and has texts embedded. The error is a Fault
// of the settings. Close ends it.
func Open(o Options) (*Near, error) {
	c, err := newClient(o.Config)
	if err != nil {
		return nil, err
	}
	n := &Near{
		Options: o, client: c, wake: make(chan struct{}, 1), flights: make(chan struct{}, maxFlights),
		opened: make(chan struct{}), news: make(chan struct{}), empty: map[Key]bool{},
	}
	n.ctx, n.cancel = context.WithCancel(context.Background())
	n.wg.Go(n.run)
	return n, nil
}

// Close waits for every goroutine and lets go of the file.
func (n *Near) Close() {
	n.mu.Lock()
	n.cancel()
	n.mu.Unlock()
	n.wg.Wait()
	n.client.http.CloseIdleConnections()
	if n.vectors != nil {
		n.vectors.close()
	}
}

// Done is closed when Close begins.
func (n *Near) Done() <-chan struct{} { return n.ctx.Done() }

// Opened is closed when the vectors that were made an earlier time are at hand.
func (n *Near) Opened() <-chan struct{} { return n.opened }

// Changed has texts embedded that are new.
func (n *Near) Changed() {
	if n != nil {
		n.mu.Lock()
		defer n.mu.Unlock()
		n.again()
	}
}

// again has run look at the texts once more. The caller holds mu, so that a pass that ends
// now does not say they are complete.
func (n *Near) again() {
	n.complete = false
	select {
	case n.wake <- struct{}{}:
	default:
	}
}

// Wait waits until every text that can have a vector has one, and returns how many have.
// The error is Down when the model fails, or the context's.
func (n *Near) Wait(ctx context.Context) (texts int, err error) {
	for {
		n.mu.Lock()
		complete, failing, news := n.complete, n.failing, n.news
		n.mu.Unlock()
		switch {
		case failing:
			return 0, Down
		case complete:
			texts, _ = n.vectors.size()
			return texts, nil
		}
		select {
		case <-news:
		case <-n.ctx.Done():
			return 0, n.ctx.Err()
		case <-ctx.Done():
			return 0, ctx.Err()
		}
	}
}

// tellNews wakes those in Wait. The caller holds mu.
func (n *Near) tellNews() {
	close(n.news)
	n.news = make(chan struct{})
}

// failed leaves the model alone for a while, and says so once.
func (n *Near) failed(err error) (pause time.Duration) {
	n.mu.Lock()
	first, tell, now := n.pause == 0, !n.told, time.Now()
	if !now.Before(n.until) { // else it was asked before the pause began
		n.pause = min(max(2*n.pause, firstPause), lastPause)
		n.until = now.Add(n.pause)
	}
	pause, n.told = n.until.Sub(now), true
	if errors.Is(err, OtherLength) { // it does answer
		n.doubt = true
		n.again()
	} else {
		n.failing = true
		n.tellNews()
	}
	n.mu.Unlock()
	if first {
		n.Log.Warn("no embeddings; words alone find cards", "model", n.Model, "err", err)
	}
	if tell {
		n.Tell(err)
	}
	return pause
}

// worked ends a pause. The person is not told again when the next one begins.
func (n *Near) worked() {
	n.mu.Lock()
	before := n.pause
	n.pause, n.until, n.failing = 0, time.Time{}, false
	n.mu.Unlock()
	if before > 0 {
		n.Log.Info("embeddings are back", "model", n.Model)
	}
}

// Rank has a query's vector made and the texts ranked by it. The function it returns waits
// for that, for as long as a query may; it returns the zero Ranking where words alone must
// do.
func (n *Near) Rank(ctx context.Context, query string, limit int) (wait func() Ranking) {
	none := func() Ranking { return Ranking{} }
	if query == "" {
		return none
	}
	select {
	case <-n.opened:
	default:
		return none
	}
	n.mu.Lock() // also keeps Close from waiting before the goroutine is counted
	defer n.mu.Unlock()
	if texts, _ := n.vectors.size(); texts == 0 || time.Now().Before(n.until) || n.ctx.Err() != nil {
		return none
	}
	select {
	case n.flights <- struct{}{}:
	default:
		return none // the model has enough to do
	}
	answer := make(chan Ranking, 1)
	n.wg.Go(func() {
		defer func() { <-n.flights }()
		answer <- n.vectors.nearest(n.embedQuery(query), limit)
	})
	late := time.NewTimer(n.Options.Wait)
	return func() Ranking {
		defer late.Stop()
		select {
		case r := <-answer:
			n.mu.Lock()
			defer n.mu.Unlock()
			for i, match := range r.Best {
				r.Best[i].Names = n.names[match.Key]
			}
			return r
		case <-late.C:
			n.mu.Lock()
			busy := n.busy
			n.mu.Unlock()
			if !busy {
				n.failed(Slow)
			}
		case <-ctx.Done():
		case <-n.ctx.Done():
		}
		return Ranking{}
	}
}

// embedQuery returns the vector of a query, nil without one.
func (n *Near) embedQuery(query string) []float32 {
	ctx, cancel := context.WithTimeout(n.ctx, max(lateWait, n.Options.Wait))
	defer cancel()
	began := time.Now()
	got, err := n.client.embed(ctx, []string{query})
	if err == nil {
		if _, dim := n.vectors.size(); len(got[0]) != dim {
			err = OtherLength
		}
	}
	switch {
	case n.ctx.Err() != nil:
		return nil
	case err != nil:
		n.failed(err)
		return nil
	case time.Since(began) <= n.Options.Wait:
		n.worked()
	}
	v, _ := unit(got[0])
	return v
}

// run embeds the texts, now and whenever they change, until Close.
func (n *Near) run() {
	select {
	case <-n.Ready:
	case <-n.ctx.Done():
		return
	}
	var err error
	if n.vectors, err = openVectors(n.Dir, n.client.model); err != nil {
		n.Log.Warn("vectors are kept in memory", "err", err)
	}
	close(n.opened)
	for {
		var later <-chan time.Time
		wake := n.wake
		if err := n.pass(); err != nil && n.ctx.Err() == nil {
			later, wake = time.After(n.failed(err)), nil
		}
		select {
		case <-wake:
		case <-later:
		case <-n.ctx.Done():
			return
		}
	}
}

// pass gives every text a vector that has none, and forgets those of texts that are gone.
func (n *Near) pass() error {
	names := n.Names()
	n.mu.Lock()
	n.names = names
	doubt := n.doubt
	n.doubt = false
	n.mu.Unlock()
	for anew := false; ; anew = true {
		var todo []Key
		for key := range names {
			if !n.vectors.has(key) && !n.empty[key] {
				todo = append(todo, key)
			}
		}
		for key := range names {
			if !doubt || len(todo) > 0 {
				break
			}
			todo = append(todo, key) // any will do to see how long vectors are now
		}
		moved, err := n.embedAll(todo, names)
		if err != nil {
			return err
		}
		if !moved {
			break
		}
		if anew {
			return errors.Join(BadAnswer, OtherLength)
		}
		doubt = false
	}
	removed, err := n.vectors.keep(func(key Key) bool { return len(names[key]) > 0 })
	n.lost(err)
	n.Log.Debug("vectors of what is gone were removed", "count", removed)
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.complete = len(n.wake) == 0; n.complete {
		n.tellNews()
	}
	return n.ctx.Err()
}

// lost says that the vectors are in memory alone from now on.
func (n *Near) lost(err error) {
	if err != nil {
		n.Log.Warn("vectors are kept in memory", "err", err)
		n.Tell(err)
	}
}

// embedAll embeds texts in batches. It stops when vectors turn out to be of another length
// than those before: then every text needs a new one.
func (n *Near) embedAll(todo []Key, names map[Key][]string) (moved bool, err error) {
	n.setBusy(len(todo) > batchTexts)
	defer n.setBusy(false)
	var keys []Key
	var texts []string
	for i, key := range todo {
		text, ok := n.Text(key, names[key][0])
		if ok && text == "" {
			n.empty[key] = true
		} else if ok {
			keys, texts = append(keys, key), append(texts, text)
		}
		if len(keys) == 0 || len(keys) < batchTexts && i < len(todo)-1 {
			continue
		}
		made := map[Key][]float32{}
		if err := n.ask(keys, texts, made); err != nil {
			return false, err
		}
		if len(made) > 0 {
			n.worked()
		}
		moved, err = n.vectors.put(made)
		if errors.Is(err, BadAnswer) {
			return false, err
		}
		n.lost(err)
		if moved {
			n.Log.Warn("the model's vectors have another length; the brain is embedded anew", "model", n.Model)
			return true, nil
		}
		keys, texts = nil, nil
	}
	return false, n.ctx.Err()
}

func (n *Near) setBusy(busy bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.busy = busy
}

// ask has texts embedded. Where the model refuses them, the one that it cannot take is
// found by halves, cut short, and passed over if that does not help.
func (n *Near) ask(keys []Key, texts []string, made map[Key][]float32) error {
	ctx, cancel := context.WithTimeout(n.ctx, batchWait)
	defer cancel()
	got, err := n.client.embed(ctx, texts)
	var status StatusError
	half := len(texts) / 2
	switch {
	case err == nil:
		for i, v := range got {
			if u, ok := unit(v); ok {
				made[keys[i]] = u
			} else {
				n.empty[keys[i]] = true
			}
		}
		return nil
	case !errors.As(err, &status) || !status.tooMuch():
		return err
	case half > 0:
		if err := n.ask(keys[:half], texts[:half], made); err != nil {
			return err
		}
		return n.ask(keys[half:], texts[half:], made)
	case len(texts[0]) > shortText:
		return n.ask(keys, []string{strings.ToValidUTF8(texts[0][:shortText], "")}, made)
	}
	if _, other := n.client.embed(ctx, []string{"handrail"}); other != nil {
		return err // it refuses everything: not the text's fault
	}
	n.Log.Info("a file is too much for the model", "err", err)
	n.empty[keys[0]] = true
	return nil
}
