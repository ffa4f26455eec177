// What was done to the cards lately, to look one of them up.

import * as vscode from 'vscode';
import type { Actions } from './actions';
import type { Model } from './model';
import { verbName } from './text';

/** Rows of the journal that are shown. */
const SHOWN = 50;

export async function showLog(model: Model, actions: Actions): Promise<void> {
  const log = await model.client.ask('handrail/log', { limit: SHOWN });
  if (!log) return;
  const when = new Intl.DateTimeFormat(vscode.env.language, { dateStyle: 'medium', timeStyle: 'short' });
  const items = log.map((row) => ({
    label: model.card(row.path)?.title ?? row.path,
    description: [
      verbName(row.verb),
      when.format(new Date(row.at)),
      row.failed ? vscode.l10n.t('failed') : row.undone ? vscode.l10n.t('taken back') : '',
    ]
      .filter(Boolean)
      .join(' · '),
    detail: row.path,
    path: row.path,
  }));
  const title = vscode.l10n.t('What was done to the lessons');
  const placeHolder = items.length > 0 ? vscode.l10n.t('Which card?') : vscode.l10n.t('Nothing was done yet');
  const chosen = await vscode.window.showQuickPick(items, { title, placeHolder, matchOnDescription: true, matchOnDetail: true });
  if (!chosen) return;
  if (model.card(chosen.path)) await actions.open(chosen.path, undefined, true);
  else void vscode.window.showInformationMessage(vscode.l10n.t('There is no such card any more. Undo brings back what was done last.'));
}
