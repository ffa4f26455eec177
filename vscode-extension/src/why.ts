// Why a card comes before a request or does not, and what a person can do about it.

import * as path from 'node:path';
import * as vscode from 'vscode';
import type { Actions, Subject } from './actions';
import type { Model } from './model';
import type { Explained, Explanation, WhyRequest } from './protocol.gen';
import { Refusal } from './refusal';
import { plain } from './text';

/** The request that is asked about: the words, or the answer to it. */
type Request = Pick<WhyRequest, 'query' | 'answerId'>;

interface Row extends vscode.QuickPickItem {
  reason?: Explained;
}

/** What was explained, as rows: cards that come, those that do not, and any other. */
export function reasonRows(explained: Pick<Explanation, 'cards'>): Row[] {
  const group = (label: string, comes: boolean): Row[] => {
    const cards = explained.cards.filter((c) => c.comes === comes);
    if (cards.length === 0) return [];
    return [
      { label, kind: vscode.QuickPickItemKind.Separator },
      ...cards.map((reason) => ({ label: reason.title, detail: reason.text, reason })),
    ];
  };
  return [
    ...group(vscode.l10n.t('Comes before the request'), true),
    ...group(vscode.l10n.t('Stays out'), false),
    { label: `$(search) ${vscode.l10n.t('Another card…')}`, alwaysShow: true },
  ];
}

export function whyCommands(model: Model, actions: Actions): vscode.Disposable[] {
  const whys = new Whys(model, actions);
  return [
    // Of a card, which may be the one in front; else of an answer, or of the last one.
    vscode.commands.registerCommand('handrail.lesson.why', async (subject: Subject | Request, query?: unknown) => {
      const answer = typeof subject === 'object' && 'answerId' in subject && !('path' in subject) ? subject : undefined;
      const front = model.at(vscode.window.activeTextEditor?.document.uri);
      if (answer || (!subject && !front)) return whys.all(answer ?? whys.last());
      const card = await actions.path(subject as Subject, () => true);
      if (card) await whys.one(card, typeof query === 'string' && query ? { query } : whys.last());
    }),
  ];
}

class Whys {
  constructor(
    private readonly model: Model,
    private readonly actions: Actions,
  ) {}

  /** The request of the last answer, if there is one. */
  last(): Request {
    const answerId = this.model.footer?.answerId;
    return answerId ? { answerId } : {};
  }

  /** Lists the cards that come before a request and those that nearly do. */
  async all(request: Request): Promise<void> {
    const explained = await this.explain(request);
    if (!explained) return;
    const { request: query } = explained;
    const chosen = await vscode.window.showQuickPick(reasonRows(explained), {
      title: vscode.l10n.t('Why, and Why Not?'),
      placeHolder: query,
      matchOnDetail: true,
    });
    if (chosen?.reason) return this.act(chosen.reason, query);
    const card = chosen && (await this.actions.path(undefined, () => true, true));
    if (card) await this.one(card, { query });
  }

  /** Says of one card whether it comes before a request. */
  async one(card: string, request: Request): Promise<void> {
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
          return client.ask('handrail/why', { ...request, ...about }); // which shows what is wrong
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
    const acts = [
      { label: `$(edit) ${vscode.l10n.t('Open the card to mend it')}`, run: () => this.actions.open(reason.path) },
      ...(reason.code === 'never'
        ? []
        : [
            {
              label: `$(bell-slash) ${vscode.l10n.t('Never for requests like this')}`,
              detail: query,
              run: () => this.never(reason, query),
            },
          ]),
      { label: `$(files) ${vscode.l10n.t('Always for these files…')}`, run: () => this.always(reason) },
    ];
    const chosen = await vscode.window.showQuickPick(acts, { title: reason.title, placeHolder: reason.text });
    await chosen?.run();
  }

  private async never({ path: card, title }: Explained, query: string): Promise<void> {
    if (!(await this.model.client.ask('handrail/never', { path: card, query }))) return;
    this.actions.offerUndo(plain(vscode.l10n.t('“{0}” comes no more for requests like this.', title)), card);
  }

  /** Gives a card the file in front, its folder, or what the person picks. */
  private async always({ path: card, title }: Explained): Promise<void> {
    const file = vscode.window.activeTextEditor?.document.uri;
    const brain = this.model.client.brain;
    const here = file?.scheme === 'file' && !(brain && file.path.startsWith(`${brain.path}/`)) ? file : undefined;
    const folder = here && vscode.Uri.file(path.dirname(here.fsPath));
    const name = (uri: vscode.Uri) => vscode.workspace.asRelativePath(uri);
    const items = [
      ...(here ? [{ label: name(here), files: [here] }] : []),
      ...(folder ? [{ label: `${name(folder)}/**`, files: [folder] }] : []),
      { label: `$(folder-opened) ${vscode.l10n.t('Choose files or folders…')}`, files: undefined },
    ];
    const chosen = await vscode.window.showQuickPick(items, { title, placeHolder: vscode.l10n.t('Which files is it about?') });
    if (!chosen) return;
    const files = chosen.files ?? (await vscode.window.showOpenDialog({ canSelectFolders: true, canSelectMany: true }));
    if (!files || !(await this.model.client.ask('handrail/always', { path: card, files: files.map((f) => f.toString()) }))) return;
    this.actions.offerUndo(plain(vscode.l10n.t('“{0}” is about these files now.', title)), card);
  }
}
