package server

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"

	"handrail/index"
	"handrail/index/embed"
	"handrail/index/vectors"
	"handrail/lessons"
)

// keyOf names a file's content.
func keyOf(f index.File) (key vectors.Key) {
	binary.LittleEndian.PutUint64(key[:8], f.Hash)
	binary.LittleEndian.PutUint64(key[8:], uint64(f.Size))
	return key
}

// pass gives every file a vector that has none, and forgets those of content that is in
// the brain no more.
func (m *embedder) pass() error {
	paths := map[vectors.Key][]string{}
	for _, f := range m.tier.idx.Files() {
		key := keyOf(f)
		paths[key] = append(paths[key], f.Path)
	}
	m.mu.Lock()
	m.paths = paths
	doubt := m.doubt
	m.doubt = false
	m.mu.Unlock()
	if m.current() == nil {
		err := m.recall()
		done(m.recalled)
		if err != nil {
			return err
		}
	}
	for turns := 0; ; turns++ {
		todo := m.missing(paths)
		if doubt && len(todo) == 0 {
			for key := range paths { // any will do to see how long vectors are now
				todo = append(todo, key)
				break
			}
		}
		moved, err := m.embedAll(todo, paths)
		if err != nil {
			return err
		}
		if !moved {
			break
		}
		if doubt = false; turns > 0 {
			return errFlips
		}
	}
	return m.forget(paths)
}

// missing returns what has no vector yet.
func (m *embedder) missing(paths map[vectors.Key][]string) (todo []vectors.Key) {
	matrix := m.current()
	for key := range paths {
		if (matrix == nil || !matrix.Has(key)) && !m.empty[key] {
			todo = append(todo, key)
		}
	}
	return todo
}

// embedAll embeds files in batches. It stops when vectors turn out to be of another length
// than those before: then every file needs a new one.
func (m *embedder) embedAll(todo []vectors.Key, paths map[vectors.Key][]string) (moved bool, err error) {
	m.setBusy(len(todo) > batchFiles)
	defer m.setBusy(false)
	var batch []pending
	for i, key := range todo {
		if p, ok := m.prepare(key, paths[key][0]); ok {
			batch = append(batch, p)
		}
		if len(batch) == 0 || len(batch) < batchFiles && i < len(todo)-1 {
			continue
		}
		if moved, err = m.embed(batch); moved || err != nil {
			return moved, err
		}
		batch = batch[:0]
	}
	return false, nil
}

// current returns the vectors in use.
func (m *embedder) current() *vectors.Matrix {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.matrix
}

// recall takes the vectors that the model made an earlier time.
func (m *embedder) recall() error {
	if m.store == nil {
		return nil
	}
	space, ok, err := m.store.Latest(m.name)
	if err != nil || !ok {
		return err
	}
	return m.turn(space.Dim)
}

// turn goes over to vectors of a length.
func (m *embedder) turn(dim int) (err error) {
	matrix := vectors.NewMatrix(dim)
	if m.store != nil {
		if matrix, err = m.store.Load(vectors.Space{Model: m.name, Dim: dim}); err != nil {
			return fmt.Errorf("%w: %w", errStore, err)
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.matrix = matrix
	clear(m.queries)
	return nil
}

// pending is a file that is to be embedded.
type pending struct {
	key  vectors.Key
	text string
}

// prepare reads a file. One that has changed since the index read it waits for its turn.
func (m *embedder) prepare(key vectors.Key, rel string) (p pending, ok bool) {
	src, err := m.tier.read(rel)
	if err != nil || keyOf(index.File{Size: int64(len(src)), Hash: index.HashOf(src)}) != key {
		return p, false
	}
	card, _ := lessons.Parse(rel, src)
	text := m.sent(textOf(card))
	if text == "" {
		m.empty[key] = true
		return p, false
	}
	return pending{key, text}, true
}

// embed has files embedded and keeps their vectors. moved says that they are of another
// length than those before, so that every file needs a new one.
func (m *embedder) embed(batch []pending) (moved bool, err error) {
	if m.ctx.Err() != nil {
		return false, m.ctx.Err()
	}
	made, err := m.ask(batch)
	if err != nil || len(made) == 0 {
		return false, err
	}
	m.worked()
	dim := 0
	for _, v := range made {
		if dim == 0 {
			dim = len(v)
		}
		if len(v) != dim {
			return false, errFlips
		}
	}
	if matrix := m.current(); matrix == nil || matrix.Dim() != dim {
		moved = matrix != nil
		if err := m.turn(dim); err != nil {
			return false, err
		}
		if moved {
			m.tier.log.Warn("the model's vectors have another length; the brain is embedded anew", "model", m.name, "numbers", dim)
		}
	}
	if m.store != nil {
		if err := m.store.Put(vectors.Space{Model: m.name, Dim: dim}, made); err != nil {
			m.store = nil // memory will have to do
			m.tier.log.Warn("vectors are kept in memory", "err", err)
			m.tier.tell(Notice{NoticeStore, m.name})
		}
	}
	matrix := m.current()
	for key, v := range made {
		matrix.Set(key, v)
	}
	return moved, nil
}

func (m *embedder) setBusy(busy bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.busy = busy
}

// ask has texts embedded. Where the model refuses them, the one that it cannot take is
// found by halves, cut to its first half, and passed over if that does not help.
func (m *embedder) ask(batch []pending) (map[vectors.Key][]float32, error) {
	texts := make([]string, len(batch))
	for i, p := range batch {
		texts[i] = p.text
	}
	ctx, cancel := context.WithTimeout(m.ctx, batchWait)
	defer cancel()
	got, err := m.client.Embed(ctx, texts)
	var status embed.StatusError
	switch {
	case err == nil:
	case !errors.As(err, &status) || !status.TooMuch():
		return nil, err
	case len(batch) > 1:
		made, err := m.ask(batch[:len(batch)/2])
		if err != nil {
			return nil, err
		}
		rest, err := m.ask(batch[len(batch)/2:])
		for key, v := range rest {
			made[key] = v
		}
		return made, err
	case len(batch[0].text) > maxEmbedded/2:
		return m.ask([]pending{{batch[0].key, head(batch[0].text, maxEmbedded/2)}})
	default:
		if _, other := m.client.Embed(ctx, []string{"handrail"}); other != nil {
			return nil, err // it refuses everything: not the text's fault
		}
		m.tier.log.Info("a file is too much for the model", "err", err)
		m.empty[batch[0].key] = true
		return map[vectors.Key][]float32{}, nil
	}
	made := map[vectors.Key][]float32{}
	for i, v := range got {
		if unit, ok := vectors.Unit(v); ok {
			made[batch[i].key] = unit
		} else {
			m.empty[batch[i].key] = true
		}
	}
	return made, nil
}

// forget purges the vectors of content that is in the brain no more, of this model and of
// those before it.
func (m *embedder) forget(paths map[vectors.Key][]string) error {
	live := func(key vectors.Key) bool { _, ok := paths[key]; return ok }
	if matrix := m.current(); matrix != nil {
		matrix.Keep(live)
	}
	if m.store != nil {
		n, err := m.store.Purge(m.ctx, live)
		if err != nil && m.ctx.Err() == nil {
			m.tier.log.Warn("old vectors were not removed", "err", err)
		}
		if n > 0 {
			m.tier.log.Debug("vectors of what is gone were removed", "count", n)
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.wake) == 0 {
		done(m.complete)
	}
	return m.ctx.Err()
}
