// What was done to the cards lately, to look one of them up.

import * as vscode from 'vscode';
import { tell, when } from './ask';
import type { Actions } from './actions';
import type { Model } from './model';
import { verbName } from './text';

/** Rows of the journal that are shown. */
const SHOWN = 50;

export async function showLog(model: Model, actions: Actions): Promise<void> {
  const log = await model.client.ask('handrail/log', { limit: SHOWN });
  if (!log) return;
  const undo = { iconPath: new vscode.ThemeIcon('discard'), tooltip: vscode.l10n.t('Undo') };
  const last = (path: string) => log.find((row) => row.path === path && !row.undone && !row.failed && row.verb !== 'undo');
  const items = log.map((row) => ({
    label: model.card(row.path)?.title ?? row.path,
    description: [verbName(row.verb), when(row.at), row.failed ? vscode.l10n.t('failed') : row.undone ? vscode.l10n.t('taken back') : '']
      .filter(Boolean)
      .join(' · '),
    detail: row.path,
    path: row.path,
    buttons: last(row.path) === row ? [undo] : [],
  }));
  const pick = vscode.window.createQuickPick<(typeof items)[number]>();
  pick.title = vscode.l10n.t('What was done to the lessons');
  pick.placeholder = items.length > 0 ? vscode.l10n.t('Which card?') : vscode.l10n.t('Nothing was done yet');
  pick.matchOnDescription = pick.matchOnDetail = true;
  pick.items = items;
  pick.onDidTriggerItemButton(({ item }) => {
    pick.hide();
    void actions.undo(item.path);
  });
  pick.onDidAccept(() => {
    const [chosen] = pick.selectedItems;
    pick.hide();
    if (chosen && model.card(chosen.path)) void actions.open(chosen.path, undefined, true);
    else if (chosen) tell(vscode.l10n.t('There is no such card any more. Undo brings it back.'));
  });
  pick.onDidHide(() => pick.dispose());
  pick.show();
}
