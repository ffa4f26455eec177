// A window with several brains: the one of the folder in front speaks, unless a person picks another.

import * as vscode from 'vscode';
import { choose } from './ask';
import { nameOf, same, type Client } from './client';

/** Follows the editor in front. What comes back looks at it at once. */
export function brains(client: Client, held: vscode.Disposable[]): () => void {
  const follow = () => {
    const file = vscode.window.activeTextEditor?.document.uri;
    const folder = file && vscode.workspace.getWorkspaceFolder(file);
    const there = folder && client.places.find((f) => same(f.folder, folder.uri));
    if (there && client.turns === 0) void client.turnTo(there.brain);
  };
  const pick = async () => {
    const items = client.places.map(({ folder, brain }) => ({
      label: nameOf(folder),
      description: same(brain, client.brain) ? vscode.l10n.t('shown now') : '',
      detail: vscode.Uri.parse(brain).fsPath,
      brain,
    }));
    const chosen = await choose(vscode.l10n.t('Lessons of which folder?'), items);
    if (chosen) await client.turnTo(chosen.brain);
  };
  held.push(vscode.window.onDidChangeActiveTextEditor(follow), vscode.commands.registerCommand('handrail.brain.switch', pick));
  return follow;
}
