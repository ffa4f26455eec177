// What came of the turns of the last months, where a person has that kept.

import * as vscode from 'vscode';
import { tell, when } from './ask';
import type { Actions } from './actions';
import type { Model } from './model';
import type { Episode } from './protocol.gen';
import { testsName } from './text';

/** Characters of a request that make a title. */
const TITLE = 80;

interface Row extends vscode.QuickPickItem {
  episode: Episode;
}

/** The first line of what was asked, cut to a title's length. */
export function titleOf(episode: Episode): string {
  const line = Array.from((episode.asked.split('\n', 1)[0] ?? '').trim());
  return line.length > TITLE ? `${line.slice(0, TITLE).join('')}…` : line.join('');
}

/** Episodes as rows; cardTitle names a card, when says a time. */
export function rows(list: readonly Episode[], cardTitle: (path: string) => string, when: (at: string) => string): Row[] {
  return list.map((episode) => ({
    label: titleOf(episode),
    description: [when(episode.at), testsName(episode.tests), episode.agent ?? ''].filter(Boolean).join(' · '),
    detail: [episode.files.join(', '), episode.cards.map(cardTitle).join(', ')].filter(Boolean).join(' · '),
    episode,
  }));
}

/** Lists the episodes; one that is picked becomes a draft, in which the person names the mistake. */
export async function showEpisodes(model: Model, actions: Actions): Promise<void> {
  const { client } = model;
  const list = await client.ask('handrail/episodes', {});
  if (!list) return;
  if (list.length === 0) return nothing();
  const card = (path: string) => model.card(path)?.title ?? path;
  const forget = { iconPath: new vscode.ThemeIcon('trash'), tooltip: vscode.l10n.t('Delete for Good') };
  const pick = vscode.window.createQuickPick<Row>();
  pick.title = vscode.l10n.t('Episodes of the Last 90 Days');
  pick.placeholder = vscode.l10n.t('Which one becomes a draft of a card?');
  pick.matchOnDescription = pick.matchOnDetail = true;
  pick.ignoreFocusOut = true;
  pick.items = rows(list, card, when).map((row) => ({ ...row, buttons: [forget] }));
  pick.onDidTriggerItemButton(async ({ item }) => {
    if (!(await client.ask('handrail/forgetEpisodes', { ids: [item.episode.id] }))) return;
    pick.items = pick.items.filter((row) => row.episode.id !== item.episode.id);
    if (pick.items.length === 0) pick.hide();
  });
  pick.onDidHide(() => pick.dispose());
  pick.onDidAccept(async () => {
    const chosen = pick.selectedItems[0]?.episode;
    pick.hide();
    if (chosen) await actions.create({ title: titleOf(chosen), episodeId: chosen.id });
  });
  pick.show();
}

async function nothing(): Promise<void> {
  if (vscode.workspace.getConfiguration('handrail').get<boolean>('episodes', false)) {
    tell(vscode.l10n.t('Nothing came of a turn yet.'));
    return;
  }
  const settings = vscode.l10n.t('Open Settings');
  const message = vscode.l10n.t('What comes of a turn is not kept. The setting handrail.episodes keeps it for 90 days on this machine.');
  const chosen = await vscode.window.showInformationMessage(message, settings);
  if (chosen === settings) await vscode.commands.executeCommand('workbench.action.openSettings', 'handrail.episodes');
}
