// What would tidy the brain. The server suggests; a person chooses, and can take it back.

import * as vscode from 'vscode';
import { chooseAny, group, tell } from './ask';
import type { Actions } from './actions';
import type { Model } from './model';
import type { Tidied } from './protocol.gen';
import { plain } from './text';

interface Row extends vscode.QuickPickItem {
  path?: string; // of a card to merge or to put away
}

/** What there is to settle; titleOf names a card. */
export function rows(found: Tidied, titleOf: (path: string) => string): Row[] {
  return group(
    vscode.l10n.t('Merge or put away'),
    found.suggestions.map((s) => ({
      label: s.title,
      description: s.into ? vscode.l10n.t('merge into “{0}”', titleOf(s.into)) : vscode.l10n.t('put away'),
      detail: s.why ?? '',
      path: s.path,
    })),
  );
}

/** Offers what would tidy the brain, none of it chosen. Merges and what is put away are one act. */
export async function tidy(model: Model, actions: Actions): Promise<void> {
  const { client } = model;
  const titleOf = (path: string) => model.card(path)?.title ?? path;
  const found = await client.ask('handrail/tidy', {});
  if (!found) return;
  const items = rows(found, titleOf);
  if (items.length === 0) return tell(vscode.l10n.t('There is nothing to tidy.'));
  const chosen = await chooseAny(vscode.l10n.t('Tidy Lessons'), items, vscode.l10n.t('Choose what to settle; nothing is lost'));
  const paths = chosen.flatMap((row) => row.path ?? []);
  const done = paths.length > 0 ? await client.ask('handrail/tidy', { apply: true, paths }) : undefined;
  if (done) {
    const tidied = done.suggestions.map((s) => s.path).filter((path) => !done.failed.includes(path));
    if (done.failed.length > 0) {
      const left = done.failed.map(titleOf).join(', ');
      void vscode.window.showWarningMessage(plain(vscode.l10n.t('Left alone, because they could not be changed safely: {0}', left)));
    }
    if (tidied[0]) actions.offerUndo(vscode.l10n.t('Cards tidied: {0}', tidied.length), tidied[0]);
  }
}
