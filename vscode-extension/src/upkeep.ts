// What keeps a brain in shape at a word: the list of cards, and the way back from what a turn recorded.

import * as vscode from 'vscode';
import { choose, tell, when } from './ask';
import type { Actions } from './actions';
import type { Model } from './model';
import type { LogRow } from './protocol.gen';

/** Writes the list of the cards and shows it. */
export async function writeOverview(model: Model, actions: Actions): Promise<void> {
  const done = await model.client.ask('handrail/overview', {});
  if (done) await actions.open(done.path, undefined, true);
}

/** What one turn recorded. */
export interface Turn {
  origin: string;
  at: string;
  paths: string[];
}

/** The turns that recorded cards which are still there, newest first, as the log has its rows. */
export function turns(log: readonly LogRow[], exists: (path: string) => boolean): Turn[] {
  const found = new Map<string, Turn>();
  for (const row of log) {
    if (row.verb !== 'create' || !row.origin || row.undone || row.failed || !exists(row.path)) continue;
    const turn = found.get(row.origin) ?? { origin: row.origin, at: row.at, paths: [] };
    if (!turn.paths.includes(row.path)) turn.paths.push(row.path);
    found.set(row.origin, turn);
  }
  return [...found.values()];
}

/** Moves what a turn recorded to the trash, after a person has picked the turn. */
export async function retract(model: Model, actions: Actions): Promise<void> {
  const { client } = model;
  const log = await client.ask('handrail/log', {});
  if (!log) return;
  const title = (path: string) => model.card(path)?.title ?? path;
  const items = turns(log, (path) => model.card(path) !== undefined).map((turn) => ({
    label: turn.paths.map(title).join(', '),
    description: when(turn.at),
    detail: turn.paths.join(', '),
    turn,
  }));
  const none = vscode.l10n.t('No turn recorded a card that is still there');
  const what = items.length > 0 ? vscode.l10n.t('Its cards go to the trash') : none;
  const chosen = await choose(vscode.l10n.t('Take Back What a Turn Recorded'), items, what);
  if (!chosen) return;
  const gone = await client.ask('handrail/retract', { origin: chosen.turn.origin });
  if (!gone) return;
  for (const path of gone) await actions.close(path);
  if (gone[0]) actions.offerUndo(vscode.l10n.t('Cards in the trash: {0}', gone.length), gone[0]);
  else tell(vscode.l10n.t('Nothing was taken back: the cards were changed since.'));
}
