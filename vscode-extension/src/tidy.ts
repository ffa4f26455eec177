// What would tidy the brain. The server suggests; a person chooses, and can take it back.

import * as vscode from 'vscode';
import { chooseAny, tell } from './ask';
import type { Actions } from './actions';
import type { Model } from './model';
import type { Suggestion } from './protocol.gen';
import { plain } from './text';

interface Row extends vscode.QuickPickItem {
  path: string;
}

/** Suggestions as rows to choose from; titleOf names the card that another would be merged into. */
export function rows(suggestions: readonly Suggestion[], titleOf: (path: string) => string): Row[] {
  return suggestions.map((s) => ({
    label: s.title,
    description: s.into ? vscode.l10n.t('merge into “{0}”', titleOf(s.into)) : vscode.l10n.t('archive'),
    detail: s.why ?? '',
    path: s.path,
  }));
}

/** Offers what would tidy the brain, none of it chosen, and does what a person chooses as one act. */
export async function tidy(model: Model, actions: Actions): Promise<void> {
  const { client } = model;
  const titleOf = (path: string) => model.card(path)?.title ?? path;
  const found = await client.ask('handrail/tidy', {});
  if (!found) return;
  if (found.crowd) {
    const message = vscode.l10n.t(
      '{0} cards are to come with every request and take turns, since they do not fit at once.',
      found.crowd.length,
    );
    tell(message);
  }
  if (found.suggestions.length === 0) {
    if (found.crowd) return;
    tell(vscode.l10n.t('There is nothing to tidy.'));
    return;
  }
  const which = vscode.l10n.t('Choose what to put away; nothing is lost');
  const chosen = await chooseAny(vscode.l10n.t('Tidy Lessons'), rows(found.suggestions, titleOf), which);
  if (chosen.length === 0) return;
  const paths = chosen.map((row) => row.path);
  const done = await client.ask('handrail/tidy', { apply: true, paths });
  if (!done) return;
  const tidied = done.suggestions.map((s) => s.path).filter((path) => !done.failed.includes(path));
  if (done.failed.length > 0) {
    const left = done.failed.map(titleOf).join(', ');
    void vscode.window.showWarningMessage(plain(vscode.l10n.t('Left alone, because they could not be changed safely: {0}', left)));
  }
  if (tidied[0]) actions.offerUndo(vscode.l10n.t('Cards tidied: {0}', tidied.length), tidied[0]);
}
