// Cards that touch each other: what says the same, what came up again, what contradicts. A person settles it.

import * as vscode from 'vscode';
import { choose, tell } from './ask';
import type { Actions } from './actions';
import type { Model } from './model';
import type { Candidate, Consolidation, Contradiction, Suggestion } from './protocol.gen';
import { plain } from './text';

interface Row extends vscode.QuickPickItem {
  contradiction?: Contradiction;
  twin?: Suggestion;
  candidate?: Candidate;
}

/** What there is to settle, in groups; titleOf names a card. */
export function groups(found: Consolidation, titleOf: (path: string) => string): { label: string; rows: Row[] }[] {
  return [
    {
      label: vscode.l10n.t('Contradict each other'),
      rows: found.contradictions.map((x) => ({
        label: `${titleOf(x.a)} ↔ ${titleOf(x.b)}`,
        description: vscode.l10n.t('look at both'),
        detail: `${x.itemA} ↔ ${x.itemB}`,
        contradiction: x,
      })),
    },
    {
      label: vscode.l10n.t('Say the same'),
      rows: found.twins.map((s) => ({
        label: s.title,
        description: vscode.l10n.t('merge into “{0}”', titleOf(s.into ?? '')),
        detail: s.why ?? '',
        twin: s,
      })),
    },
    {
      label: vscode.l10n.t('Came up again'),
      rows: found.recurring.map((c) => ({
        label: c.title,
        description: vscode.l10n.t('make it one with “{0}”', titleOf(c.similar ?? '')),
        detail: c.evidence[0] ?? '',
        candidate: c,
      })),
    },
  ].filter((g) => g.rows.length > 0);
}

/** Shows what there is to settle and does the one thing that a person picks. */
export async function consolidate(model: Model, actions: Actions): Promise<void> {
  const found = await model.client.ask('handrail/consolidate', {});
  if (!found) return;
  const list = groups(found, (path) => model.card(path)?.title ?? path);
  if (list.length === 0) {
    tell(vscode.l10n.t('No card says the same as another or contradicts one.'));
    return;
  }
  const items: Row[] = list.flatMap((g) => [{ label: g.label, kind: vscode.QuickPickItemKind.Separator }, ...g.rows]);
  const what = vscode.l10n.t('What shall be settled? Nothing happens by itself');
  const chosen = await choose(vscode.l10n.t('Consolidate Lessons'), items, what);
  if (chosen?.contradiction) await settle(model, actions, chosen.contradiction);
  else if (chosen?.twin?.into) await actions.mergeInto(chosen.twin.into, chosen.twin.path);
  else if (chosen?.candidate?.similar) await actions.offerUpdate(chosen.candidate.similar, chosen.candidate.id);
}

/** Puts two cards side by side, at the items that contradict each other; either can be edited, or put out of use. */
async function settle(model: Model, actions: Actions, x: Contradiction): Promise<void> {
  const { client } = model;
  const title = (path: string) => model.card(path)?.title ?? path;
  const line = model.card(x.b)?.items.find((item) => item.text === x.itemB)?.line;
  const at = line ? { selection: new vscode.Range(line - 1, 0, line - 1, 0) } : {};
  const options: vscode.TextDocumentShowOptions = { preview: false, ...at };
  await vscode.commands.executeCommand('vscode.diff', client.uri(x.a), client.uri(x.b), `${title(x.a)} ↔ ${title(x.b)}`, options);
  const [left, right] = [vscode.l10n.t('Ignore the Left One'), vscode.l10n.t('Ignore the Right One')];
  const message = plain(vscode.l10n.t('“{0}” and “{1}” contradict each other. Edit a card, or put one out of use.', x.itemA, x.itemB));
  const chosen = await vscode.window.showInformationMessage(message, left, right);
  const path = chosen === left ? x.a : chosen === right ? x.b : undefined;
  if (path && (await client.ask('handrail/ignore', { path }))) {
    actions.offerUndo(plain(vscode.l10n.t('“{0}” is ignored.', title(path))), path);
  }
}
