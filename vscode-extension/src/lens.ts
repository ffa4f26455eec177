// A line above a source file: the lessons that are about it.

import * as vscode from 'vscode';
import { choose } from './ask';
import type { Actions } from './actions';
import type { Model } from './model';
import type { Card } from './protocol.gen';
import { summary } from './text';

export class Lens implements vscode.CodeLensProvider, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChangeCodeLenses = this.changed.event;
  private cards: readonly Card[] = [];
  private readonly subscriptions: vscode.Disposable[];
  dispose = () => this.subscriptions.forEach((s) => void s.dispose());

  constructor(
    private readonly model: Model,
    private readonly actions: Actions,
  ) {
    this.subscriptions = [
      this.changed,
      model.onDidChange(() => {
        if (model.cards === this.cards) return; // only the answer is new
        this.cards = model.cards;
        this.changed.fire();
      }),
      vscode.workspace.onDidChangeConfiguration((e) => {
        if (e.affectsConfiguration('handrail.lens')) this.changed.fire();
      }),
      vscode.languages.registerCodeLensProvider({ scheme: 'file' }, this),
      vscode.commands.registerCommand('handrail.lessons.here', (paths: string[]) => this.pick(paths)),
    ];
  }

  async provideCodeLenses({ uri }: vscode.TextDocument, token: vscode.CancellationToken): Promise<vscode.CodeLens[]> {
    const wanted = vscode.workspace.isTrusted && vscode.workspace.getConfiguration('handrail').get('lens', true);
    if (!wanted || !this.model.client.brain || !this.cards.some((c) => c.paths.length > 0)) return [];
    let cards: Card[];
    try {
      cards = await this.model.client.request('handrail/lessons', { file: uri.toString(), status: 'active' }, token);
    } catch {
      return []; // nobody asked for it; the log says why
    }
    if (cards.length === 0) return [];
    const title = cards.length === 1 ? vscode.l10n.t('1 lesson applies here') : vscode.l10n.t('{0} lessons apply here', cards.length);
    const command = { command: 'handrail.lessons.here', title, arguments: [cards.map((c) => c.path)] };
    return [new vscode.CodeLens(new vscode.Range(0, 0, 0, 0), command)];
  }

  private async pick(paths: readonly string[]): Promise<void> {
    const items = paths.flatMap((path) => {
      const card = this.model.card(path);
      return card ? [{ label: card.title, description: summary(card), path }] : [];
    });
    const chosen = await choose(vscode.l10n.t('Lessons for This File'), items, vscode.l10n.t('Opens the card'));
    if (chosen) await this.actions.open(chosen.path);
  }
}
