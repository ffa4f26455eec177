package main

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"handrail/lessons"
	"handrail/lessons/git"
	"handrail/server"
)

var (
	textOneOfStats = text{"Give one of --share and --team.", "--share와 --team 가운데 하나만 주세요."}
	textTeamHead   = text{"card\tserved\tkept\tbroken\tcame back", "카드\t제공\t지킴\t어김\t재발"}
	textSharesInto = text{"These numbers of yours go to %s:", "다음 숫자를 %s에 씁니다:"}
	textAskShare   = text{"Write them? The team sees them once you commit the file. [y/N] ", "쓸까요? 파일을 커밋하면 팀이 볼 수 있습니다. [y/N] "}
	textShared     = text{"Written. Commit %s to share it.", "썼습니다. 공유하려면 %s을(를) 커밋하세요."}
	textSharedSame = text{"%s holds these numbers already.", "%s에 이미 같은 숫자가 있습니다."}
	textNoIdentity = text{"Git does not know who you are. Set user.name and user.email.", "git에 사용자 정보가 없습니다. user.name과 user.email을 설정해 주세요."}
	textNoShares   = text{"Nobody shared numbers yet. \"handrail stats --share\" does.", "아직 아무도 숫자를 공유하지 않았습니다. \"handrail stats --share\"로 공유할 수 있습니다."}
	textNoShare    = text{"%s cannot be read as shared numbers.", "%s은(는) 공유한 숫자로 읽을 수 없습니다."}
	textMembers    = text{"members: %s", "팀원: %s"}
)

// sharesFolder holds a file for each member of a team, so that no two write the same.
const sharesFolder = "stats"

// maxShared is the largest number that is believed.
const maxShared = 1_000_000_000

// share is what one member tells of the cards: how often each was served and what came of it.
type share struct {
	Cards map[string]shared `json:"cards"` // by path in the brain
}

type shared struct {
	Served   int `json:"served"`
	Kept     int `json:"kept"`
	Broken   int `json:"broken"`
	CameBack int `json:"cameBack"`
}

// teamStats is what all members told.
type teamStats struct {
	Members []string   `json:"members"`
	Cards   []teamCard `json:"cards"` // whose mistake came back most often first, then most served
}

type teamCard struct {
	Path string `json:"path"`
	shared
}

// teamFlags adds the flags by which stats tells the team and asks it.
func (a *app) teamFlags(cmd *cobra.Command) {
	var tell, team, yes bool
	own := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, list []string) error {
		switch {
		case tell && team:
			return usageError{say(textOneOfStats)}
		case tell:
			return a.shareStats(cmd.Context(), yes)
		case team:
			return a.teamStats()
		}
		return own(cmd, list)
	}
	f := cmd.Flags()
	f.BoolVar(&tell, "share", false, "write your numbers to a file of the brain, for the team")
	f.BoolVar(&team, "team", false, "add up what all members shared")
	f.BoolVar(&yes, "yes", false, "with --share: do not ask; needed without a terminal")
}

// shareStats writes the person's numbers into the brain, once they agreed to those they see.
func (a *app) shareStats(ctx context.Context, yes bool) error {
	out, err := a.command(ctx, "stats", "--json")
	if err != nil {
		return err
	}
	var stats server.Stats
	if err := json.Unmarshal(out, &stats); err != nil {
		return fmt.Errorf("read the statistics: %w", err)
	}
	b, err := a.openBrain()
	if err != nil {
		return err
	}
	defer b.Close() //nolint:errcheck // what was written is on disk
	name, err := shareOf(ctx, b.Root())
	if err != nil {
		return err
	}
	now := share{Cards: map[string]shared{}}
	for _, c := range stats.Cards {
		now.Cards[c.Path] = shared{c.Served, c.Addressed, c.Unaddressed, c.Recurred}
	}
	before, src := share{}, []byte(nil)
	if src, err = b.Read(name); err == nil {
		before, _ = readShare(src) // one that is damaged is written anew
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	text, err := json.MarshalIndent(now, "", "  ") // keys in order, so that only what changed differs
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	if text = append(text, '\n'); string(text) == string(src) {
		a.tell(textSharedSame, name)
		return nil
	}
	a.tell(textSharesInto, name)
	a.showShare(before, now)
	if !yes {
		if agreed, err := a.agrees(textAskShare); err != nil || !agreed {
			return err
		}
	}
	if src == nil {
		err = b.Create(name, text)
	} else {
		err = b.Edit(name, func([]byte) ([]byte, error) { return text, nil })
	}
	if err == nil {
		a.tell(textShared, name)
	}
	return err
}

// showShare shows what is told of each card, and what was told before where that differs.
func (a *app) showShare(before, now share) {
	w := tabwriter.NewWriter(a.out, 0, 4, 2, ' ', 0)
	fmt.Fprintln(w, a.word(say(textTeamHead)))
	for _, path := range slices.Sorted(maps.Keys(now.Cards)) {
		was, is := before.Cards[path], now.Cards[path]
		fmt.Fprint(w, plain(path))
		for _, n := range [][2]int{{was.Served, is.Served}, {was.Kept, is.Kept}, {was.Broken, is.Broken}, {was.CameBack, is.CameBack}} {
			if n[0] == n[1] {
				fmt.Fprintf(w, "\t%d", n[1])
			} else {
				fmt.Fprintf(w, "\t%d → %d", n[0], n[1])
			}
		}
		fmt.Fprintln(w)
	}
	_ = w.Flush() // what cannot be written shows at the end
}

// shareOf names the file of the person, by git's identity: the name to be read, and a few digits
// of the address so that two of one name keep apart.
func shareOf(ctx context.Context, dir string) (string, error) {
	who, err := git.Output(ctx, dir, "config", "user.name")
	address, mailErr := git.Output(ctx, dir, "config", "user.email")
	who, address = strings.TrimSpace(who), strings.ToLower(strings.TrimSpace(address))
	if who == "" || address == "" {
		return "", said{text: textNoIdentity, err: errors.Join(err, mailErr)}
	}
	sum := sha256.Sum256([]byte(address))
	return fmt.Sprintf("%s/%s-%x.json", sharesFolder, lessons.Slug(who), sum[:3]), nil
}

func readShare(src []byte) (s share, err error) {
	err = json.Unmarshal(src, &s)
	for _, n := range s.Cards {
		if lo, hi := min(n.Served, n.Kept, n.Broken, n.CameBack), max(n.Served, n.Kept, n.Broken, n.CameBack); lo < 0 || hi > maxShared {
			return share{}, errors.New("numbers that nobody counted")
		}
	}
	return s, err
}

// teamStats adds up what the members shared.
func (a *app) teamStats() error {
	b, err := a.openBrain()
	if err != nil {
		return err
	}
	defer b.Close() //nolint:errcheck // read only
	files, err := os.ReadDir(filepath.Join(b.Root(), sharesFolder))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	out, sum := teamStats{Members: []string{}, Cards: []teamCard{}}, map[string]shared{}
	for _, f := range files {
		if path.Ext(f.Name()) != ".json" {
			continue
		}
		name := sharesFolder + "/" + f.Name()
		src, err := b.Read(name)
		s, jsonErr := readShare(src)
		if err = errors.Join(err, jsonErr); err != nil {
			a.warn(a.word(say(textNoShare, name)))
			a.status = exitFailed
			continue
		}
		out.Members = append(out.Members, strings.TrimSuffix(f.Name(), ".json"))
		for card, n := range s.Cards {
			t := sum[card]
			sum[card] = shared{t.Served + n.Served, t.Kept + n.Kept, t.Broken + n.Broken, t.CameBack + n.CameBack}
		}
	}
	for card, n := range sum {
		out.Cards = append(out.Cards, teamCard{card, n})
	}
	slices.SortFunc(out.Cards, func(a, b teamCard) int {
		return cmp.Or(cmp.Compare(b.CameBack, a.CameBack), cmp.Compare(b.Served, a.Served), strings.Compare(a.Path, b.Path))
	})
	if a.json {
		return a.printJSON(out)
	}
	if len(out.Members) == 0 {
		a.tell(textNoShares)
		return nil
	}
	w := tabwriter.NewWriter(a.out, 0, 4, 2, ' ', 0)
	fmt.Fprintln(w, a.word(say(textTeamHead)))
	for _, c := range out.Cards {
		fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%d\n", plain(c.Path), c.Served, c.Kept, c.Broken, c.CameBack)
	}
	_ = w.Flush() // what cannot be written shows at the end
	a.print("\n")
	a.tell(textMembers, strings.Join(out.Members, ", "))
	return nil
}

// openBrain opens the folder of the cards alone, without index and state.
func (a *app) openBrain() (*lessons.Brain, error) {
	dir, err := a.findBrain()
	if err != nil {
		return nil, err
	}
	return lessons.OpenBrain(dir)
}
