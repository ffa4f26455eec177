package heard

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var learn = flag.Bool("learn", false, "rewrite weights.txt from the labels and texts of HANDRAIL_DATA")

// example is a message that a person typed, what was known around it, and how it was labelled by reading.
type example struct {
	text, person, lang, label, given string
	known                            Context
	message                          message
	sentences, blind                 [][]string // features, with the context and without
}

// dataFile opens a file of HANDRAIL_DATA, unpacked where its name ends in ".gz".
func dataFile(t testing.TB, name string) *bufio.Scanner {
	t.Helper()
	dir := os.Getenv("HANDRAIL_DATA")
	if dir == "" {
		t.Skip("no real messages: set HANDRAIL_DATA to a folder that holds real/" + name)
	}
	data, err := os.ReadFile(filepath.Join(dir, "real", name))
	if err != nil {
		t.Skipf("no real messages: %v", err)
	}
	var lines *bufio.Scanner
	if strings.HasSuffix(name, ".gz") {
		z, err := gzip.NewReader(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		lines = bufio.NewScanner(z)
	} else {
		lines = bufio.NewScanner(bytes.NewReader(data))
	}
	lines.Buffer(nil, 16<<20)
	return lines
}

func eachLine[T any](t testing.TB, name string, do func(T)) {
	t.Helper()
	for lines := dataFile(t, name); lines.Scan(); {
		var v T
		if err := json.Unmarshal(lines.Bytes(), &v); err != nil {
			t.Fatal(err)
		}
		do(v)
	}
}

// key names a message without saying it.
func key(source, text string) string {
	sum := sha256.Sum256([]byte(source + "\n" + text))
	return hex.EncodeToString(sum[:8])
}

// examples joins the labels of testdata/triggers/labels.tsv with the texts they are of. A label stands beside what the transcript shows of the turn
// before: F nothing was said before, E its answer changed files, A it ended with a question, L none of these; "-": not recorded.
func examples(t testing.TB) []example {
	t.Helper()
	file, err := os.ReadFile(filepath.Join("..", "..", "testdata", "triggers", "labels.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	labels := map[string][]string{}
	for line := range strings.Lines(string(file)) {
		if f := strings.Fields(line); len(f) == 3 && !strings.HasPrefix(line, "#") {
			labels[f[0]] = f[1:]
		}
	}
	type textRow struct{ Text, Lang, Source, Label string }
	given := map[string]string{}
	eachLine(t, "messages-labelled.jsonl", func(r textRow) { given[key(r.Source, r.Text)] = r.Label })
	var out []example
	eachLine(t, "messages.jsonl.gz", func(r textRow) {
		k := key(r.Source, r.Text)
		l, ok := labels[k]
		if !ok {
			return
		}
		person, _, _ := strings.Cut(r.Source, ":")
		e := example{text: r.Text, person: person, lang: r.Lang, label: l[0], given: given[k]}
		e.known = Context{First: strings.Contains(l[1], "F"), Edited: strings.Contains(l[1], "E"), Asked: strings.Contains(l[1], "A")}
		e.known.Later = !e.known.First
		e.message = hear(r.Text)
		e.sentences, e.blind = e.message.features(e.known), e.message.features(Context{})
		out = append(out, e)
	})
	return out
}

// is reports whether a label says a kind, and whether only the conversation could tell.
func is(label string, k Kind) (yes, unsure bool) {
	switch label {
	case "both", "complaint|correction":
		return k != Record, false
	case "any":
		return false, true
	case "uc", "unsure-complaint":
		return false, k == Complaint
	case "ux", "unsure-correction":
		return false, k == Correction
	case "ur", "unsure-record":
		return false, k == Record
	}
	return label == string(k), false
}

const (
	ridge     = 1.0 // how strongly weights are held near zero
	minHolds  = 8   // in how many messages a feature must stand
	minPeople = 3   // of how many people
	rounds    = 3   // how often the sentence that speaks for a message is chosen anew
)

// fit learns from examples. Each stands in it twice, with what is known of the conversation and without. Of a message the sentence counts that is most
// like what is learned, so it is chosen by the weights of the round before, at first all of them together.
func fit(list []example) *model {
	names := countFeatures(list)
	m := &model{kinds: [2]Kind{Complaint, Correction}, weight: map[string][2]float64{}}
	for k, kind := range m.kinds {
		var bags [][][]string
		var want []float64
		for _, e := range list {
			yes, unsure := is(e.label, kind)
			if unsure {
				continue
			}
			y := 0.0
			if yes {
				y = 1
			}
			bags, want = append(bags, e.sentences, e.blind), append(want, y, y)
		}
		chosen := make([][]string, len(bags))
		for i, b := range bags {
			chosen[i] = slices.Concat(b...)
		}
		for round := range rounds + 1 {
			w, bias := regress(names, chosen, want)
			for i, n := range names {
				both := m.weight[n]
				both[k] = w[i]
				m.weight[n] = both
			}
			m.bias[k] = bias
			if round == rounds {
				break
			}
			for i, b := range bags {
				chosen[i] = b[m.loudest(k, b)]
			}
		}
	}
	return m
}

// loudest returns which sentence of a message is most like a kind.
func (m *model) loudest(kind int, sentences [][]string) int {
	at, most := 0, math.Inf(-1)
	for i, f := range sentences {
		if z := m.score(kind, f); z > most {
			at, most = i, z
		}
	}
	return at
}

func countFeatures(list []example) []string {
	holds, people := map[string]int{}, map[string]map[string]bool{}
	for _, e := range list {
		all := slices.Concat(e.sentences...)
		slices.Sort(all)
		for _, f := range slices.Compact(all) {
			if holds[f]++; people[f] == nil {
				people[f] = map[string]bool{}
			}
			people[f][e.person] = true
		}
	}
	var names []string
	for f, n := range holds {
		if n >= minHolds && len(people[f]) >= minPeople {
			names = append(names, f)
		}
	}
	slices.Sort(names)
	return names
}

// regress fits a logistic regression with a ridge by Newton's method.
func regress(names []string, bags [][]string, want []float64) (w []float64, bias float64) {
	n := len(names)
	rows := make([][]int, len(bags))
	for i, b := range bags {
		for _, f := range b {
			if at, ok := slices.BinarySearch(names, f); ok {
				rows[i] = append(rows[i], at)
			}
		}
		slices.Sort(rows[i])
		rows[i] = append(slices.Compact(rows[i]), n)
	}
	x := make([]float64, n+1)
	for range 12 {
		h, g := make([][]float64, n+1), make([]float64, n+1)
		for k := range h {
			h[k] = make([]float64, n+1)
			h[k][k] = 1e-6
			if k < n {
				h[k][k], g[k] = ridge, ridge*x[k]
			}
		}
		for i, row := range rows {
			z := 0.0
			for _, k := range row {
				z += x[k]
			}
			p := 1 / (1 + math.Exp(-z))
			for _, k := range row {
				g[k] += p - want[i]
				for _, j := range row {
					h[k][j] += p * (1 - p)
				}
			}
		}
		for k, d := range solve(h, g) {
			x[k] -= d
		}
	}
	return x[:n], x[n]
}

// solve solves hx = g for a symmetric positive definite h, by Cholesky's factors, which it writes into h.
func solve(h [][]float64, g []float64) []float64 {
	x := slices.Clone(g)
	for i := range h {
		for j := 0; j <= i; j++ {
			s := h[i][j]
			for k := range j {
				s -= h[i][k] * h[j][k]
			}
			if i == j {
				h[i][i] = math.Sqrt(max(s, 1e-12))
			} else {
				h[i][j] = s / h[j][j]
			}
		}
	}
	for i := range x {
		for k := range i {
			x[i] -= h[i][k] * x[k]
		}
		x[i] /= h[i][i]
	}
	for i := len(x) - 1; i >= 0; i-- {
		for k := i + 1; k < len(x); k++ {
			x[i] -= h[k][i] * x[k]
		}
		x[i] /= h[i][i]
	}
	return x
}

// TestHeldOut measures what the judgement of each message is worth, by models that have not seen its person. Plain must stay rare and right; -v prints all.
func TestHeldOut(t *testing.T) {
	list := examples(t)
	var people []string
	for _, e := range list {
		if !slices.Contains(people, e.person) {
			people = append(people, e.person)
		}
	}
	with, without := make([]Judgement, len(list)), make([]Judgement, len(list))
	for _, p := range people {
		m := fit(slices.DeleteFunc(slices.Clone(list), func(e example) bool { return e.person == p }))
		m.hint, m.plain = floors.hint, floors.plain
		for i, e := range list {
			if e.person == p {
				with[i], without[i] = e.message.judgement(m, e.known), e.message.judgement(m, Context{})
			}
		}
	}
	for _, view := range []struct {
		name string
		got  []Judgement
	}{{"with the conversation", with}, {"text alone", without}} {
		for _, set := range []string{"read", "given", "en", "ko"} {
			var b strings.Builder
			label := func(e example) string {
				if set == "given" {
					return e.given
				}
				if (set == "en" || set == "ko") && e.lang != set {
					return ""
				}
				return e.label
			}
			for _, kind := range []Kind{Complaint, Correction, Record} {
				for _, plainOnly := range []bool{true, false} {
					hit, wrong, missed := 0, 0, 0
					for i, e := range list {
						l := label(e)
						yes, unsure := is(l, kind)
						if l == "" || unsure {
							continue
						}
						got := view.got[i].Kind == kind && (view.got[i].Strength == Plain || !plainOnly)
						switch {
						case got && yes:
							hit++
						case got:
							wrong++
						case yes:
							missed++
						}
					}
					if plainOnly && kind != Record && view.name == "with the conversation" && set == "read" && (float64(hit) < 0.78*float64(hit+wrong) || float64(hit) < 0.2*float64(hit+missed)) {
						t.Errorf("plain %s: %d of %d found, %d wrong", kind, hit, hit+missed, wrong)
					}
					fmt.Fprintf(&b, "   %-10s plain only %-5v  P %.2f R %.2f (%d of %d, %d wrong)\n", kind, plainOnly, float64(hit)/float64(max(1, hit+wrong)), float64(hit)/float64(max(1, hit+missed)), hit, hit+missed, wrong)
				}
			}
			for _, kind := range []Kind{Complaint, Correction} {
				heard, all := 0, 0
				for i, e := range list {
					if yes, unsure := is(label(e), kind); yes && !unsure {
						all++
						if j := view.got[i]; j.Kind == Complaint || j.Kind == Correction {
							heard++
						}
					}
				}
				fmt.Fprintf(&b, "   %-10s heard as either, plain or hint: R %.2f\n", kind, float64(heard)/float64(max(1, all)))
			}
			for _, s := range []Strength{Plain, Hint} {
				n, all, none, ordinary, right, long, longs := 0, 0, 0, 0, 0, 0, 0
				for i, e := range list {
					l := label(e)
					if l == "" {
						continue
					}
					got := view.got[i].Strength == s
					all++
					if l == "none" {
						ordinary++
					}
					if len(e.text) > 600 {
						longs++
					}
					if got {
						n++
						switch {
						case l == "none":
							none++
						case l != "rule":
							right++
						}
						if len(e.text) > 600 {
							long++
						}
					}
				}
				fmt.Fprintf(&b, "   %-5s %d in 1000 (of long ones %d), %d in 1000 ordinary ones; of any kind but none %.2f\n", s, 1000*n/all, 1000*long/max(1, longs), 1000*none/ordinary, float64(right)/float64(max(n, 1)))
			}
			t.Logf("%s, %s\n%s", view.name, set, b.String())
		}
	}
	for i, e := range list {
		if with[i].Strength == Plain && e.label == "none" {
			t.Logf("wrong: %s by %q: %.200q", with[i].Kind, with[i].Evidence, strings.Join(strings.Fields(e.text), " "))
		}
	}
}

// floors of the model, chosen with whole people left out: see docs/guide.md.
var floors = struct{ hint, plain [2]float64 }{hint: [2]float64{-0.75, -1.25}, plain: [2]float64{-0.5, -1}}

// TestLearn holds weights.txt to what the labels and texts make; -learn rewrites it.
func TestLearn(t *testing.T) {
	m := fit(examples(t))
	m.hint, m.plain = floors.hint, floors.plain
	got := m.render()
	if *learn {
		if err := os.WriteFile("weights.txt", []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if got != weightsFile {
		t.Error("weights.txt is not what labels, texts and cues make; rewrite it with -learn")
	}
}

func (m *model) render() string {
	var b strings.Builder
	b.WriteString("# cue or fact, complaint, correction: what each adds to the log odds. Learned by TestLearn; do not edit.\n")
	line := func(name string, w [2]float64) { fmt.Fprintf(&b, "%s %.2f %.2f\n", name, w[0], w[1]) }
	line("(bias)", m.bias)
	line("(hint)", m.hint)
	line("(plain)", m.plain)
	var names []string
	for n := range m.weight {
		names = append(names, n)
	}
	slices.Sort(names)
	for _, n := range names {
		line(n, m.weight[n])
	}
	return b.String()
}
