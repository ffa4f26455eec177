package lessons

import (
	"path"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// Kinds lists the kinds a card may have, in the order of the format's description.
func Kinds() []Kind {
	return []Kind{Lesson, Playbook, QAFinding, Policy, Preference, Architecture, Decision, Fact}
}

// Severities lists the severities from mild to grave.
func Severities() []Severity { return []Severity{Low, Medium, High} }

// Sources lists the sources.
func Sources() []Source { return []Source{Curated, Auto} }

// Statuses lists the statuses that a card may name.
func Statuses() []Status { return []Status{Active, Archived, Drafted, Quarantined} }

// kindSpellings maps every accepted value of type to its kind.
var kindSpellings = map[string]Kind{
	"lesson": Lesson, "lessons": Lesson, "pitfall": Lesson,
	"playbook": Playbook, "playbooks": Playbook, "workflow": Playbook,
	"qa-finding": QAFinding, "qa_finding": QAFinding, "qafinding": QAFinding,
	"qa-findings": QAFinding, "qa_findings": QAFinding, "qafindings": QAFinding,
	"policy": Policy, "preference": Preference, "architecture": Architecture, "decision": Decision, "fact": Fact,
}

// kindFolders maps a path segment, in lower case, to the kind of the files below it.
var kindFolders = map[string]Kind{
	"lesson": Lesson, "lessons": Lesson,
	"playbook": Playbook, "playbooks": Playbook,
	"qa-finding": QAFinding, "qa_finding": QAFinding, "qafinding": QAFinding,
	"qa-findings": QAFinding, "qa_findings": QAFinding, "qafindings": QAFinding,
}

// IsFolderOfCards reports whether a folder's name says no more than that cards are in it.
func IsFolderOfCards(name string) bool {
	_, ofKind := kindFolders[strings.ToLower(name)]
	return ofKind || name == memoriesFolder || name == draftsFolder
}

// kindOf returns the kind of the file at rel: what its frontmatter calls it if that is a kind,
// else the innermost folder that is named by one, else Note. A README, CHANGELOG, LICENSE or
// CONTRIBUTING file without a key that only cards have is a Note.
func kindOf(rel, typ string, keys []string) Kind {
	if k, ok := kindSpellings[strings.ToLower(strings.TrimSpace(typ))]; ok {
		return k
	}
	rel = norm.NFC.String(strings.ToLower(strings.ReplaceAll(rel, `\`, "/")))
	name := path.Base(rel)
	switch strings.TrimSuffix(name, path.Ext(name)) {
	case "readme", "changelog", "license", "contributing":
		if !slices.Contains(keys, "severity") && !slices.Contains(keys, "applies-to") {
			return Note
		}
	}
	for _, folder := range slices.Backward(strings.Split(path.Dir(rel), "/")) {
		if k, ok := kindFolders[folder]; ok {
			return k
		}
	}
	return Note
}

// memoriesFolder holds cards of kinds without a folder of their own.
const memoriesFolder = "memories"

// folderOf returns the folder new cards of a kind go into. Kinds without a folder of
// their own carry their type in the frontmatter.
func folderOf(k Kind) string {
	switch k {
	case Playbook:
		return "playbooks"
	case QAFinding:
		return "qa-findings"
	case Policy, Preference, Architecture, Decision, Fact:
		return memoriesFolder
	}
	return "lessons"
}
