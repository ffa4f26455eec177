// Why a card comes before a request or does not, and what a person can do about it.

import * as vscode from 'vscode';
import { reach, type Actions, type Request, type Subject } from './actions';
import { choose, group } from './ask';
import type { Model } from './model';
import type { Explained, Explanation } from './protocol.gen';
import { Refusal } from './refusal';

interface Row extends vscode.QuickPickItem {
  reason?: Explained;
}

/** What was explained, as rows: cards that come, those that do not, and any other. */
export function reasonRows(explained: Pick<Explanation, 'cards'>): Row[] {
  const rows = (comes: boolean): Row[] =>
    explained.cards.filter((c) => c.comes === comes).map((reason) => ({ label: reason.title, detail: reason.text, reason }));
  return [
    ...group(vscode.l10n.t('Comes before the request'), rows(true)),
    ...group(vscode.l10n.t('Stays out'), rows(false)),
    { label: `$(search) ${vscode.l10n.t('Another card…')}`, alwaysShow: true },
  ];
}

export class Whys {
  constructor(
    private readonly model: Model,
    private readonly actions: Actions,
  ) {}

  /** Explains a card, or the cards of a request where none is named: the given one, else that of the last answer. */
  async ask(subject: Subject | Request, query?: unknown): Promise<void> {
    const answerId = this.model.footer?.answerId;
    const last = typeof query === 'string' && query ? { query } : answerId ? { answerId } : {};
    if (!subject) return this.all(last);
    if (typeof subject === 'object' && 'answerId' in subject && !('path' in subject)) return this.all(subject);
    const card = this.actions.path(subject as Subject);
    if (card) await this.one(card, last);
  }

  /** Lists the cards that come before a request and those that nearly do. */
  private async all(request: Request): Promise<void> {
    const explained = await this.explain(request);
    if (!explained) return;
    const { request: query } = explained;
    const chosen = await choose(vscode.l10n.t('Why, and Why Not?'), reasonRows(explained), query);
    if (chosen?.reason) return this.act(chosen.reason, query);
    const card = chosen && (await this.actions.pick());
    if (card) await this.one(card, { query });
  }

  /** Says of one card whether it comes before a request. */
  private async one(card: string, request: Request): Promise<void> {
    const explained = await this.explain(request, card);
    if (explained?.cards[0]) await this.act(explained.cards[0], explained.request);
  }

  /** Asks the server; where nobody remembers the request, the person says it. */
  private async explain(request: Request, card?: string): Promise<Explanation | undefined> {
    const { client } = this.model;
    const about = { ...(card && { path: card }) };
    if (request.query || request.answerId) {
      try {
        return await client.request('handrail/why', { ...request, ...about });
      } catch (err) {
        if (!(err instanceof Refusal) || err.code !== 'unknown-answer') {
          client.explain(err);
          return undefined;
        }
      }
    }
    const query = await vscode.window.showInputBox({
      title: vscode.l10n.t('Why, and Why Not?'),
      prompt: vscode.l10n.t('Before which request? Write it as you asked it'),
      ignoreFocusOut: true,
    });
    return query?.trim() ? client.ask('handrail/why', { query, ...about }) : undefined;
  }

  /** Shows the reason, and what can be done about it. */
  private async act(reason: Explained, query: string): Promise<void> {
    const open = { label: `$(edit) ${vscode.l10n.t('Open the card to mend it')}`, detail: '' };
    const notHere = { label: `$(bell-slash) ${vscode.l10n.t('Not for requests like this')}`, detail: reach('never') };
    const acts = [open, ...(reason.code === 'never' ? [] : [notHere])];
    const chosen = await vscode.window.showQuickPick(acts, { title: reason.title, placeHolder: reason.text });
    if (chosen === open) await this.actions.open(reason.path);
    if (chosen === notHere) await this.actions.act('handrail/never', { path: reason.path, query }, 'never');
  }
}
