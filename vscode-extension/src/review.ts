// Many candidates at once: what waits, with its evidence, and one word about those that are chosen.

import * as vscode from 'vscode';
import { choose, chooseAny, tell, when } from './ask';
import type { Actions } from './actions';
import type { Model } from './model';
import type { Candidate, Draft, Ignored, Inbox, Past, ReviewRequest } from './protocol.gen';
import { pastName, plain, summary, triggerName } from './text';

interface Row extends vscode.QuickPickItem {
  id?: string; // of a candidate
  path?: string; // of a draft, or of a card that was put away
  past?: boolean; // a candidate that was put away
  line?: Ignored;
}

const oneLine = (texts: readonly string[]) => texts.map((t) => t.replace(/\s+/g, ' ').trim()).join(' · ');

/** What waits as rows to choose from, the newest first, none of them chosen; drafts below. */
export function waitingRows(inbox: Pick<Inbox, 'candidates' | 'drafts'>): Row[] {
  const candidates = [...inbox.candidates].reverse().map((c: Candidate) => ({
    label: c.title,
    description: c.times ? `${triggerName(c)} · ${c.times}×` : triggerName(c),
    detail: oneLine(c.evidence),
    id: c.id,
  }));
  const drafts = inbox.drafts.map((d: Draft) => ({ label: d.title, description: d.path, detail: oneLine(d.evidence), path: d.path }));
  if (drafts.length === 0) return candidates;
  return [...candidates, { label: vscode.l10n.t('Drafts: choose to open'), kind: vscode.QuickPickItemKind.Separator }, ...drafts];
}

/** Patterns that are never asked about, and requests that cards are kept from, as rows; those chosen may come again. */
export function mutedRows({ muted, never }: Pick<Inbox, 'muted' | 'never'>): Row[] {
  return [
    ...muted.map((m) => ({ label: `“${m.pattern.words}”`, description: triggerName(m.pattern), detail: m.title, id: m.pattern.key })),
    ...never.map((n) => ({ label: `“${n.request}”`, description: vscode.l10n.t('kept from this card'), detail: n.path, id: n.id })),
  ];
}

/** What became of candidates, each once, as rows; those that became a card are left out, for Undo is their way back. */
export function pastRows(past: readonly Past[], waiting: readonly string[], day: (at: string) => string): Row[] {
  const seen = new Set(waiting);
  return past.flatMap((p) => {
    if (seen.has(p.candidate.id)) return [];
    seen.add(p.candidate.id);
    if (p.made || p.candidate.title === '') return [];
    const description = `${pastName(p.verb)} · ${day(p.at)}`;
    return [{ label: p.candidate.title, description, detail: oneLine(p.candidate.evidence), id: p.candidate.id }];
  });
}

export class Review {
  constructor(
    private readonly model: Model,
    private readonly actions: Actions,
  ) {}

  register(): vscode.Disposable[] {
    return [
      vscode.commands.registerCommand('handrail.candidates.review', () => this.review()),
      vscode.commands.registerCommand('handrail.away.show', () => this.away()),
    ];
  }

  /** Removes a candidate, and offers never to ask about its like again. */
  async dismiss(c: Candidate): Promise<void> {
    if (!(await this.model.client.ask('handrail/dismiss', { candidateId: c.id }))) return;
    const never = vscode.l10n.t('Never Ask for This');
    const message = plain(vscode.l10n.t('Dismissed: “{0}”', c.title));
    if ((await vscode.window.showInformationMessage(message, never)) !== never) return;
    await this.ask({ reopen: [c.id] });
    await this.ask({ mute: [c.id] });
  }

  private async review(): Promise<void> {
    const inbox = await this.model.client.ask('handrail/inbox', {});
    if (!inbox) return;
    const chosen = await this.pick(
      waitingRows(inbox),
      vscode.l10n.t('Candidates and drafts that wait: {0}', inbox.waiting),
      vscode.l10n.t('Choose those you want to decide on'),
    );
    const ids = chosen.flatMap((row) => row.id ?? []);
    if (ids.length > 0) await this.decide(ids);
    for (const row of chosen) if (row.path) await this.actions.open(row.path);
  }

  private async decide(ids: string[]): Promise<void> {
    const words = [
      {
        label: vscode.l10n.t('Make drafts of them'),
        detail: vscode.l10n.t('Of one conversation, one at a time'),
        request: { accept: ids },
      },
      { label: vscode.l10n.t('Dismiss them'), detail: vscode.l10n.t('The same event asks no more'), request: { dismiss: ids } },
      { label: vscode.l10n.t('Never ask again for their patterns'), detail: vscode.l10n.t('It can be taken back'), request: { mute: ids } },
    ];
    const word = await choose(vscode.l10n.t('Candidates: {0}', ids.length), words);
    if (!word) return;
    const done = await this.ask(word.request);
    if (done?.drafts[0]) await this.actions.open(done.drafts[0].path);
  }

  /** What was put away, is never asked about, or may break an item: those chosen come back. */
  private async away(): Promise<void> {
    const { client } = this.model;
    const [inbox, past, lines] = await Promise.all([
      client.ask('handrail/inbox', {}),
      client.ask('handrail/past', {}),
      client.ask('handrail/ignoreHere', {}),
    ]);
    if (!inbox || !past || !lines) return;
    const waiting = this.model.candidates.map((c) => c.id);
    const day = (at: string) => when(at, { dateStyle: 'medium' });
    const cards = this.model.cards.filter((c) => c.status === 'archived' || c.status === 'quarantined');
    const group = (label: string, rows: Row[]) => (rows.length > 0 ? [{ label, kind: vscode.QuickPickItemKind.Separator }, ...rows] : []);
    const rows = [
      ...group(
        vscode.l10n.t('Cards that were put away'),
        cards.map((c) => ({ label: c.title, description: summary(c), detail: c.quarantine ?? '', path: c.path })),
      ),
      ...group(vscode.l10n.t('Never asked about, or not before these requests'), mutedRows(inbox)),
      ...group(
        vscode.l10n.t('Candidates that were put away'),
        pastRows(past, waiting, day).map((row) => ({ ...row, past: true })),
      ),
      ...group(
        vscode.l10n.t('Lines that may break an item'),
        lines.map((line) => ({ label: line.text, description: line.file, detail: `${line.item} · ${line.reason}`, line })),
      ),
    ];
    const chosen = await this.pick(rows, vscode.l10n.t('Put Away and Not Here'), vscode.l10n.t('Choose what shall come back'));
    for (const { path } of chosen) if (path) await client.ask('handrail/restore', { path });
    for (const { line } of chosen)
      if (line) await client.ask('handrail/ignoreHere', { path: line.path, item: line.item, file: line.file, text: line.text, off: true });
    const ids = (wasCandidate: boolean) => chosen.flatMap((row) => (row.id && !!row.past === wasCandidate ? row.id : []));
    if (ids(false).length > 0) await this.ask({ unmute: ids(false) });
    if (ids(true).length > 0) await this.ask({ reopen: ids(true) });
  }

  private async pick(rows: Row[], title: string, placeHolder: string): Promise<readonly Row[]> {
    if (rows.length === 0) {
      tell(vscode.l10n.t('There is nothing here.'));
      return [];
    }
    return chooseAny(title, rows, placeHolder);
  }

  /** Carries a person's word out, and says what was left and why. */
  private async ask(request: ReviewRequest) {
    const done = await this.model.client.ask('handrail/review', request);
    if (done && done.left.length > 0) void vscode.window.showWarningMessage(plain(done.left.map((l) => l.why).join(' ')));
    return done;
  }
}
