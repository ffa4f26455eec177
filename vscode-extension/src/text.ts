// Short texts about cards that more than one surface shows.

import { l10n } from 'vscode';
import type { Candidate, Card, Footer, Kind, Place, Severity } from './protocol.gen';

/** "high · seen 3× · 2026-10-28" */
export function summary(card: Pick<Card, 'severity' | 'occurrences' | 'lastSeen' | 'status' | 'verified' | 'broken' | 'stale'>): string {
  return [
    card.broken && card.status !== 'conflicted' ? l10n.t('cannot be read') : '',
    card.status === 'active' ? '' : statusName(card.status),
    card.verified ? l10n.t('verified') : '',
    card.stale ? l10n.t('not used for long') : '',
    severityName(card.severity),
    card.occurrences > 1 ? l10n.t('seen {0}×', card.occurrences) : '',
    card.lastSeen,
  ]
    .filter(Boolean)
    .join(' · ');
}

/** "$(mortar-board) 2 ⚠1" */
export function statusText(footer: Footer | undefined): string {
  const lessons = footer?.lessons.length ?? 0;
  const missed = footer?.unaddressed.length ?? 0;
  return ['$(mortar-board)', lessons > 0 ? String(lessons) : '', missed > 0 ? `⚠${missed}` : ''].filter(Boolean).join(' ');
}

/** Whether a person put a card away. */
export function isAway({ status }: Card): boolean {
  return status === 'archived' || status === 'quarantined';
}

/** What menus know of a card. */
export function contextOf({ status, broken, verified }: Card): string {
  const state = broken && status !== 'conflicted' ? 'broken' : status;
  return `card.${state}${verified ? '.verified' : ''}`;
}

/** What the status bar item says to a screen reader, and the head of its tooltip. */
export function statusLabel(footer: Footer | undefined): string {
  if (!footer) return l10n.t('No answer was checked yet');
  if (footer.lessons.length === 0) return l10n.t('No lesson spoke to the last answer');
  const served = l10n.t('Lessons in the last answer: {0}', footer.lessons.length);
  return footer.unaddressed.length > 0 ? `${served} · ${l10n.t('not addressed: {0}', footer.unaddressed.length)}` : served;
}

/** When a card of an answer was shown. */
export function momentName(moment = ''): string {
  const names: Record<string, string> = {
    start: l10n.t('its title, at the start'),
    before: l10n.t('earlier'),
    prompt: l10n.t('with the request'),
    action: l10n.t('at an action'),
  };
  return names[moment] ?? '';
}

/** An agent as people call it. */
export function agentName(id: string): string {
  const names: Record<string, string> = {
    claude: 'Claude Code',
    codex: 'Codex',
    gemini: 'Gemini CLI',
    copilot: 'Copilot',
    cursor: 'Cursor',
    qwen: 'Qwen Code',
    cline: 'Cline',
    vscode: 'VS Code',
  };
  return names[id] ?? id;
}

/** "bot/send.go:12", a file or a command; '' where a verdict has no place. */
export function placeName(place: Place | undefined): string {
  if (place?.file) return place.line ? `${place.file}:${place.line}` : place.file;
  return place?.command ?? '';
}

export function kindName(kind: Kind): string {
  const names: Record<Kind, string> = {
    '': l10n.t('Notes'),
    lesson: l10n.t('Lessons'),
    playbook: l10n.t('Playbooks'),
    'qa-finding': l10n.t('QA findings'),
    policy: l10n.t('Policies'),
    preference: l10n.t('Preferences'),
    architecture: l10n.t('Architecture'),
    decision: l10n.t('Decisions'),
    fact: l10n.t('Facts'),
  };
  return names[kind];
}

export function severityName(severity: Severity): string {
  return { low: l10n.t('low'), medium: l10n.t('medium'), high: l10n.t('high') }[severity];
}

export function statusName(status: Card['status']): string {
  return {
    active: l10n.t('active'),
    archived: l10n.t('put away'),
    draft: l10n.t('draft'),
    quarantined: l10n.t('put away as wrong'),
    conflicted: l10n.t('in conflict'),
  }[status];
}

export function triggerName(c: Pick<Candidate, 'trigger'>): string {
  const names: Record<string, string> = {
    complaint: l10n.t('It failed again'),
    record: l10n.t('You asked to record it'),
    correction: l10n.t('You corrected an answer'),
    rollback: l10n.t('Work was rolled back'),
    mended: l10n.t('A commit mended it within days'),
    rejected: l10n.t('A change was rejected'),
    'red-green': l10n.t('Tests went from red to green'),
    preference: l10n.t('You said how you want it'),
    constraint: l10n.t('You laid down a rule'),
  };
  return names[c.trigger] ?? c.trigger;
}

/** What was done to a card, in a word. */
export function verbName(verb: string): string {
  const names: Record<string, string> = {
    create: l10n.t('recorded'),
    bump: l10n.t('seen again'),
    archive: l10n.t('put away'),
    restore: l10n.t('used again'),
    draft: l10n.t('made a draft'),
    delete: l10n.t('deleted'),
    promote: l10n.t('promoted'),
    verify: l10n.t('verified'),
    unverify: l10n.t('no longer verified'),
    quarantine: l10n.t('put away as wrong'),
    merge: l10n.t('merged'),
    tidy: l10n.t('tidied'),
    undo: l10n.t('undone'),
    never: l10n.t('kept from such requests'),
    settle: l10n.t('a merge settled'),
    record: l10n.t('recorded'),
  };
  return names[verb] ?? verb;
}

/** An excerpt on one line, without headings and list marks. */
export function passage(excerpt: string): string {
  const lines = bare(excerpt).split('\n');
  return lines
    .filter((line) => !/^#+ /.test(line))
    .map((line) => line.replace(/^\s*[-*+] (?:\[[ xX]\] )?/, ''))
    .join(' ')
    .replace(/\s+/g, ' ')
    .trim();
}

/** Text without the marks of bold, which rows show as they are. */
export function bare(text: string): string {
  return text.replace(/(?<![\w/*])\*\*(?=[^\s*/])(.+?)(?<=[^\s*/])\*\*(?![\w/*])/g, '$1'); // a glob stays
}

/** Foreign text for a notification, in which VS Code reads "[…](…)" as a link that may run a command. */
export function plain(text: string): string {
  return text.replace(/\]\(/g, '] (');
}

/** A block of code, in a fence that its text does not end. */
export function quoted(text: string, language: string): string {
  const fence = '`'.repeat(Math.max(3, ...[...text.matchAll(/`+/g)].map((m) => m[0].length + 1)));
  return `${fence}${language}\n${text}\n${fence}`;
}

/** Text of a card for the middle of a markdown text: nothing in it is markup. */
export function escapeMarkdown(text: string): string {
  return text.replace(/[\\`*_{}[\]()<>#+\-.!|~$&]/g, '\\$&').replace(/\s+/g, ' ');
}
