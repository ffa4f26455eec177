// Lessons that may be worth recording. They wait in a tree; few of them may ask.

import * as vscode from 'vscode';
import { tell } from './ask';
import type { Actions } from './actions';
import type { Model } from './model';
import type { Candidate, CreateFields } from './protocol.gen';
import { Refusal } from './refusal';
import { dismiss, review, showAway } from './review';
import { bare, plain, triggerName } from './text';

/** Milliseconds between two questions. */
const QUIET = 10 * 60_000;

type CandidateNode = Candidate | { evidence: string; of: string };

export class CandidatesView implements vscode.TreeDataProvider<CandidateNode>, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChangeTreeData = this.changed.event;
  private readonly view: vscode.TreeView<CandidateNode>;
  private asked = -Infinity; // when, in milliseconds
  private readonly subscriptions: vscode.Disposable[];
  dispose = () => this.subscriptions.forEach((s) => void s.dispose());

  constructor(
    private readonly model: Model,
    private readonly actions: Actions,
  ) {
    const on = (name: string, run: (c: Candidate) => unknown) =>
      vscode.commands.registerCommand(`handrail.${name}`, async (c: Candidate | string) => {
        const candidate = await this.named(c);
        if (candidate) await run(candidate);
      });
    this.view = vscode.window.createTreeView('handrail.candidates', { treeDataProvider: this });
    this.subscriptions = [
      this.view,
      this.changed,
      model.onDidChange(() => this.show()),
      model.client.onCandidate((c) => void this.question(c)),
      on('lesson.recordCandidate', (c) => this.record(c)),
      on('candidate.dismiss', (c) => dismiss(model, c)),
      vscode.commands.registerCommand('handrail.candidates.review', () => review(model, actions)),
      vscode.commands.registerCommand('handrail.away.show', () => showAway(model)),
    ];
  }

  private show(): void {
    const n = this.model.candidates.length;
    this.view.badge = n > 0 ? { value: n, tooltip: vscode.l10n.t('Candidates waiting: {0}', n) } : undefined;
    this.changed.fire();
  }

  /** A request to record opens its draft; a plain signal asks where nothing of ours is open. All wait in their rows. */
  private async question(c: Candidate): Promise<void> {
    const settings = vscode.workspace.getConfiguration('handrail');
    const allowed = settings.get<string[]>('candidates.notify', []);
    if (c.trigger === 'record') return allowed.includes(c.trigger) && vscode.window.state.focused ? this.record(c) : undefined;
    const brain = `${this.model.client.brain?.path}/`;
    const ours = vscode.window.visibleTextEditors.some((e) => e.document.uri.path.startsWith(brain));
    if (ours || !allowed.includes(c.trigger) || Date.now() - this.asked < QUIET) return;
    this.asked = Date.now();
    const [record, later, never] = [vscode.l10n.t('Record'), vscode.l10n.t('Later'), vscode.l10n.t('Don’t Ask for This Kind')];
    const message = c.untitled
      ? vscode.l10n.t('{0}. Record a lesson?', plain(c.title))
      : vscode.l10n.t('{0}: “{1}”. Record a lesson?', triggerName(c), plain(c.title));
    const chosen = await vscode.window.showInformationMessage(message, record, later, never);
    if (chosen === record) await this.record(c);
    if (chosen === never) {
      const now = vscode.workspace.getConfiguration('handrail'); // it may have changed meanwhile
      const here = now.inspect('candidates.notify')?.workspaceValue !== undefined;
      const rest = now.get<string[]>('candidates.notify', []).filter((kind) => kind !== c.trigger);
      await now.update('candidates.notify', rest, here ? vscode.ConfigurationTarget.Workspace : vscode.ConfigurationTarget.Global);
    }
  }

  /** Makes a draft of a candidate and opens it; one that repeats a card is offered as its update. */
  private async record(c: Candidate): Promise<void> {
    if (c.similar && (await this.actions.offerUpdate(c.similar, c.id))) return;
    const { client } = this.model;
    const title = c.untitled ? '' : c.title; // the draft asks for it
    const fields: CreateFields = { status: 'draft' };
    for (;;) {
      try {
        const made = await client.request('handrail/create', { title, candidateId: c.id, fields });
        if (!made.duplicateOf) return await this.actions.openNew(made);
        // A card that has come to say the same since then was not offered above.
        if (made.duplicateOf !== c.similar && (await this.actions.offerUpdate(made.duplicateOf, c.id))) return;
        fields.allowTwins = true;
      } catch (err) {
        if (!(err instanceof Refusal) || err.code !== 'stale-candidate') return client.explain(err);
        const anyway = vscode.l10n.t('Record Anyway');
        const question = vscode.l10n.t('The files that this candidate is about are gone.');
        if ((await vscode.window.showWarningMessage(question, anyway)) !== anyway) return;
        fields.allowGone = true;
      }
    }
  }

  /** The candidate of a row, or that which a link names. */
  private async named(c: Candidate | string): Promise<Candidate | undefined> {
    if (typeof c === 'object') return c;
    const found = (await this.model.client.ask('handrail/candidates', {}))?.find((x) => x.id === c);
    if (!found) tell(vscode.l10n.t('That candidate was recorded or dismissed already.'));
    return found;
  }

  getChildren(node?: CandidateNode): CandidateNode[] {
    if (!node) return [...this.model.candidates].reverse();
    return 'of' in node ? [] : node.evidence.map((evidence) => ({ evidence, of: node.id }));
  }

  getTreeItem(node: CandidateNode): vscode.TreeItem {
    if ('of' in node) {
      const item = new vscode.TreeItem(bare(node.evidence).replace(/\s+/g, ' '));
      item.iconPath = new vscode.ThemeIcon('quote');
      item.tooltip = node.evidence;
      return item;
    }
    const item = new vscode.TreeItem(bare(node.title), vscode.TreeItemCollapsibleState.Collapsed);
    item.id = node.id;
    item.description = triggerName(node);
    item.contextValue = 'candidate';
    item.iconPath = new vscode.ThemeIcon('lightbulb');
    item.tooltip = new vscode.MarkdownString().appendText(
      [node.situation, node.mistake, node.fix, node.proof].filter(Boolean).join('\n\n'),
    );
    item.accessibilityInformation = { label: `${node.title}, ${triggerName(node)}` };
    return item;
  }
}
