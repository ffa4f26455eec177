// Many candidates at once: what waits, with its evidence, and one word about those that are chosen.

import * as vscode from 'vscode';
import { choose, chooseAny, group } from './ask';
import type { Actions } from './actions';
import type { Model } from './model';
import type { Candidate, Card, Draft, Ignored, Inbox, Reviewed, ReviewRequest } from './protocol.gen';
import { bare, isAway, plain, summary, triggerName } from './text';

interface Row extends vscode.QuickPickItem {
  id?: string; // of a candidate that waits
  path?: string; // of a draft, or of a card that was put away
  unmute?: string;
  line?: Ignored;
}

const oneLine = (texts: readonly string[]) => texts.map((t) => bare(t).replace(/\s+/g, ' ').trim()).join(' · ');

/** What waits as rows to choose from, the newest first, none of them chosen; drafts below. */
export function waitingRows(inbox: Pick<Inbox, 'candidates' | 'drafts'>): Row[] {
  const candidates = [...inbox.candidates].reverse().map((c: Candidate) => ({
    label: c.title,
    description: c.times ? `${triggerName(c)} · ${c.times}×` : triggerName(c),
    detail: oneLine(c.evidence),
    id: c.id,
  }));
  const drafts = inbox.drafts.map((d: Draft) => ({ label: d.title, description: d.path, detail: oneLine(d.evidence), path: d.path }));
  return [...candidates, ...group(vscode.l10n.t('Drafts: choose to open'), drafts)];
}

/** What comes no more, as far as it is known. */
export interface Away extends Pick<Inbox, 'never'> {
  cards: readonly Card[];
  lines: readonly Ignored[];
}

/** It as rows, in groups. */
export function awayRows({ cards, never, lines }: Away, titleOf: (path: string) => string): Row[] {
  const away = cards.filter(isAway).map((c) => ({ label: c.title, description: summary(c), detail: c.quarantine ?? '', path: c.path }));
  const requests = never.map((n) => ({ label: `“${n.request}”`, description: titleOf(n.path), unmute: n.id }));
  const places = lines.map((line) => ({ label: line.text, description: line.file, detail: `${line.item} · ${line.reason}`, line }));
  return [
    ...group(vscode.l10n.t('Cards that were put away'), away),
    ...group(vscode.l10n.t('Requests that a card is kept from'), requests),
    ...group(vscode.l10n.t('Lines that may break an item'), places),
  ];
}

/** Carries a person's word out, and says what was left and why. */
async function decide(model: Model, request: ReviewRequest): Promise<Reviewed | undefined> {
  const done = await model.client.ask('handrail/review', request);
  if (done && done.left.length > 0) void vscode.window.showWarningMessage(plain(done.left.map((l) => l.why).join(' ')));
  return done;
}

/** Removes a candidate. */
export async function dismiss(model: Model, c: Candidate): Promise<void> {
  await decide(model, { dismiss: [c.id] });
}

/** Lists what waits: one word about the candidates that are chosen, and the drafts are opened. */
export async function review(model: Model, actions: Actions): Promise<void> {
  const inbox = await model.client.ask('handrail/inbox', {});
  if (!inbox) return;
  const title = vscode.l10n.t('Candidates and drafts that wait: {0}', inbox.waiting);
  const chosen = await chooseAny(title, waitingRows(inbox), vscode.l10n.t('Choose those you want to decide on'));
  const ids = chosen.flatMap((row) => row.id ?? []);
  const words = [
    {
      label: vscode.l10n.t('Make drafts of them'),
      detail: vscode.l10n.t('New files; of one conversation, one at a time'),
      request: { accept: ids },
    },
    {
      label: vscode.l10n.t('Dismiss them'),
      detail: vscode.l10n.t('For you alone: the same event asks no more'),
      request: { dismiss: ids },
    },
  ];
  const word = ids.length > 0 ? await choose(vscode.l10n.t('Candidates: {0}', ids.length), words) : undefined;
  const done = word && (await decide(model, word.request));
  if (done?.drafts[0]) await actions.open(done.drafts[0].path);
  for (const row of chosen) if (row.path) await actions.open(row.path);
}

/** Lists what was put away, is kept from requests, or may break an item: those chosen come back. */
export async function showAway(model: Model): Promise<void> {
  const { client, cards } = model;
  const [inbox, lines] = await Promise.all([client.ask('handrail/inbox', {}), client.ask('handrail/ignoreHere', {})]);
  if (!inbox || !lines) return;
  const rows = awayRows({ ...inbox, cards, lines }, (path) => model.card(path)?.title ?? path);
  const chosen = await chooseAny(vscode.l10n.t('Put Away and Not Here'), rows, vscode.l10n.t('Choose what shall come back'));
  for (const { path, line } of chosen) {
    if (path) await client.ask('handrail/restore', { path });
    if (line) await client.ask('handrail/ignoreHere', { path: line.path, item: line.item, file: line.file, text: line.text, off: true });
  }
  const unmute = chosen.flatMap((row) => row.unmute ?? []);
  if (unmute.length > 0) await decide(model, { unmute });
}
