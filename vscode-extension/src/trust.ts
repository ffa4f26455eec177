// What others wrote: whether it may come to agents, and the cards that wait for an approval of their text.

import * as vscode from 'vscode';
import { tell } from './ask';
import type { Model } from './model';
import type { Trust, Waiting } from './protocol.gen';
import { plain } from './text';

/** Texts that were approved before, for the left side of a diff. */
const scheme = 'handrail-approved';

/** How many authors a question names. */
const NAMED = 5;

export class Others implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private readonly before = new Map<string, string>();
  private readonly registered = vscode.workspace.registerTextDocumentContentProvider(scheme, this);
  dispose = () => void this.registered.dispose();

  constructor(private readonly model: Model) {}

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.before.get(uri.path) ?? '';
  }

  /** Asks about the brain, where that is open, and then about the cards that wait. */
  async review(): Promise<void> {
    const { client } = this.model;
    let trust = await client.ask('handrail/trust', {});
    if (!trust) return;
    if (!trust.trusted) {
      const answer = await this.agrees(trust);
      if (!answer) return;
      trust = await client.ask('handrail/trust', { do: 'agree', team: answer === 'team' });
      if (trust) tell(vscode.l10n.t('The lessons of this brain now come to your agents.'));
      return;
    }
    if (trust.waiting.length > 0) return this.choose(trust.waiting);
    const revoke = vscode.l10n.t('Stop Trusting This Brain');
    const chosen = await vscode.window.showInformationMessage(vscode.l10n.t('No lesson waits for your approval.'), revoke);
    if (chosen === revoke) await client.ask('handrail/trust', { do: 'revoke' });
  }

  /** Whether the person trusts the brain as it stands, or as a team's with what others add later. */
  private async agrees(trust: Trust): Promise<'yes' | 'team' | undefined> {
    const authors = trust.others.filter((w) => w.author);
    const first = (all: string[]) => [...all.slice(0, NAMED), ...(all.length > NAMED ? ['…'] : [])].join('\n');
    const [yes, see] = [vscode.l10n.t('Trust'), vscode.l10n.t('See the Lessons That Wait')];
    const team = vscode.l10n.t('Trust, Also What This Team Adds');
    const detail = [
      authors.length > 0
        ? vscode.l10n.t('Others wrote files of this brain, and what a lesson says goes before your requests to agents.')
        : vscode.l10n.t('Nobody knows who wrote this brain, and what a lesson says goes before your requests to agents.'),
      first(authors.map((w) => `${w.author}: ${w.files}`)),
      first(trust.titles.map(plain)),
      trust.waiting.length > 0
        ? vscode.l10n.t('Lessons that would come with every request or may stop an action: {0}', trust.waiting.length)
        : '',
    ]
      .filter(Boolean)
      .join('\n\n');
    const ways = [yes, ...(authors.length > 0 ? [team] : []), ...(trust.waiting.length > 0 ? [see] : [])];
    const chosen = await vscode.window.showWarningMessage(
      vscode.l10n.t('Trust this brain for your agents?'),
      { modal: true, detail },
      ...ways,
    );
    if (chosen === see) for (const w of trust.waiting) await this.show(w);
    return chosen === yes ? 'yes' : chosen === team ? 'team' : undefined;
  }

  /** Lets the person pick the cards that may speak as they stand now. */
  private choose(waiting: readonly Waiting[]): void {
    const reasons: Record<string, string> = {
      always: vscode.l10n.t('comes with every request'),
      guard: vscode.l10n.t('may stop an action'),
    };
    const changes = { iconPath: new vscode.ThemeIcon('diff'), tooltip: vscode.l10n.t('Show Changes') };
    const pick = vscode.window.createQuickPick<vscode.QuickPickItem & { card: Waiting }>();
    pick.title = vscode.l10n.t('Lessons by others that wait for your approval');
    pick.placeholder = vscode.l10n.t('Check those that may come to your agents as they are now');
    pick.canSelectMany = pick.ignoreFocusOut = pick.matchOnDescription = true;
    pick.items = waiting.map((card) => ({
      label: card.title,
      description: [reasons[card.reason] ?? vscode.l10n.t('new or changed'), plain(card.author ?? '')].filter(Boolean).join(' · '),
      detail: card.path,
      buttons: [changes],
      card,
    }));
    pick.onDidTriggerItemButton((e) => void this.show(e.item.card));
    pick.onDidAccept(() => {
      const paths = pick.selectedItems.map((i) => i.card.path);
      pick.hide();
      if (paths.length > 0) void this.model.client.ask('handrail/trust', { do: 'approve', paths });
    });
    pick.onDidHide(() => pick.dispose());
    pick.show();
  }

  /** Shows what changed in a card since it was approved, or all of it. */
  private async show(card: Waiting): Promise<void> {
    const file = this.model.client.uri(card.path);
    if (!card.before) {
      await vscode.commands.executeCommand('vscode.open', file, { preview: false });
      return;
    }
    this.before.set(file.path, card.before);
    const left = vscode.Uri.from({ scheme, path: file.path, query: String(card.before.length) });
    const title = vscode.l10n.t('{0} (approved ↔ now)', plain(card.title));
    await vscode.commands.executeCommand('vscode.diff', left, file, title, { preview: false });
  }
}
