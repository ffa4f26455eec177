// What came of the cards, as rows: the worst first. A row opens its card.

import * as vscode from 'vscode';
import { choose, group } from './ask';
import type { Actions } from './actions';
import type { Model } from './model';
import type { CardStats, Stats } from './protocol.gen';

type Row = vscode.QuickPickItem & { path?: string };

/** The rows: cards whose mistake came back, those that were served, those that never were. */
export function statsRows({ cards, never }: Pick<Stats, 'cards' | 'never'>): Row[] {
  const row = (c: CardStats): Row => ({
    label: c.title,
    description: c.lastUsed,
    detail: [
      c.recurred > 0 ? vscode.l10n.t('came back {0}×', c.recurred) : '',
      vscode.l10n.t('served {0}×', c.served),
      vscode.l10n.t('kept {0}, left open {1}', c.addressed, c.unaddressed),
    ]
      .filter(Boolean)
      .join(' · '),
    path: c.path,
  });
  return [
    ...group(vscode.l10n.t('Came back'), cards.filter((c) => c.recurred > 0).map(row)),
    ...group(vscode.l10n.t('Served'), cards.filter((c) => c.recurred === 0).map(row)),
    ...group(
      vscode.l10n.t('Matched no request yet'),
      never.map(({ title, path }) => ({ label: title, detail: path, path })),
    ),
  ];
}

export async function showStats(model: Model, actions: Actions): Promise<void> {
  const stats = await model.client.ask('handrail/stats', {});
  if (!stats) return;
  const rows = statsRows(stats);
  const served = stats.cards.reduce((n, c) => n + c.served, 0);
  const what = vscode.l10n.t('{0} active cards, served {1}×. Opens the card', stats.active, served);
  const chosen = await choose(vscode.l10n.t('What Lessons Did'), rows, what);
  if (chosen?.path) await actions.open(chosen.path);
}
