package watch

import (
	"sync"

	"github.com/fsnotify/fsnotify"
)

// notifier is fsnotify's watcher, whose methods may be called from anywhere. On Windows that
// one answers a call only while its events are read, and never once Close has begun.
type notifier struct {
	*fsnotify.Watcher
	Events chan fsnotify.Event
	Errors chan error
	mu     sync.Mutex // one call at a time
}

// notify returns a notifier that delivers until it is closed.
func notify(h Host) (*notifier, error) {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, err
	}
	n := &notifier{Watcher: w, Events: make(chan fsnotify.Event), Errors: make(chan error, 16)}
	h.Go(n.deliver)
	return n, nil
}

// deliver reads all that fsnotify sends; what is not yet taken waits in memory.
func (n *notifier) deliver() {
	var queue []fsnotify.Event
	for {
		var out chan<- fsnotify.Event
		var next fsnotify.Event
		if len(queue) > 0 {
			out, next = n.Events, queue[0]
		}
		select {
		case ev, ok := <-n.Watcher.Events:
			if !ok {
				return
			}
			queue = append(queue, ev)
		case err, ok := <-n.Watcher.Errors:
			if !ok {
				return
			}
			select {
			case n.Errors <- err:
			default: // those before it have the same outcome
			}
		case out <- next:
			queue = queue[1:]
		}
	}
}

func (n *notifier) Add(path string) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.Watcher.Add(path)
}

func (n *notifier) Remove(path string) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.Watcher.Remove(path)
}

func (n *notifier) Close() error {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.Watcher.Close()
}
