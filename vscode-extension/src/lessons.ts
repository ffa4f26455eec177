// The tree of cards: by project when there are several, then by kind.

import * as vscode from 'vscode';
import type { Model } from './model';
import type { Card, Kind } from './protocol.gen';
import { contextOf, kindName, summary } from './text';

/** A group of cards, or a card. */
export type LessonNode = { label: string; id: string; children: LessonNode[] } | Card;

/** Orders cards into groups; a level with a single group is left out. */
export function tree(cards: readonly Card[]): LessonNode[] {
  const byProject = group(cards, (c) => c.project);
  const kinds = (list: readonly Card[], parent: string): LessonNode[] =>
    [...group(list, (c) => c.kind)].map(([kind, members]) => ({
      label: kindName(kind as Kind),
      id: `${parent}/${kind}`,
      children: [...members].sort(byUse),
    }));
  if (byProject.size < 2) return kinds(cards, '');
  return [...byProject].map(([name, members]) => ({
    label: name || vscode.l10n.t('All projects'),
    id: name,
    children: kinds(members, name),
  }));
}

function group(cards: readonly Card[], key: (c: Card) => string): Map<string, Card[]> {
  const groups = new Map<string, Card[]>();
  for (const c of cards) groups.set(key(c), [...(groups.get(key(c)) ?? []), c]);
  return new Map([...groups].sort(([a], [b]) => a.localeCompare(b)));
}

const order = ['active', 'draft', 'quarantined', 'ignored', 'archived'];

function byUse(a: Card, b: Card): number {
  return order.indexOf(a.status) - order.indexOf(b.status) || b.lastSeen.localeCompare(a.lastSeen) || a.title.localeCompare(b.title);
}

export class LessonsView implements vscode.TreeDataProvider<LessonNode>, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChangeTreeData = this.changed.event;
  private readonly subscriptions: vscode.Disposable[];

  constructor(private readonly model: Model) {
    const view = vscode.window.createTreeView('handrail.lessons', { treeDataProvider: this, showCollapseAll: true });
    const refresh = () => {
      view.message = untold(model);
      void vscode.commands.executeCommand('setContext', 'handrail.others', view.message !== '');
      this.changed.fire();
    };
    this.subscriptions = [view, this.changed, model.onDidChange(refresh)];
  }

  getChildren(node?: LessonNode): LessonNode[] {
    if (!node) return tree(this.model.cards);
    return 'children' in node ? node.children : [];
  }

  getTreeItem(node: LessonNode): vscode.TreeItem {
    if ('children' in node) {
      const item = new vscode.TreeItem(node.label, vscode.TreeItemCollapsibleState.Expanded);
      item.id = node.id;
      return item;
    }
    return cardItem(node);
  }

  dispose(): void {
    for (const s of this.subscriptions) s.dispose();
  }
}

/** What does not come for want of trust, in a sentence. */
function untold(model: Model): string {
  if (model.cards.length === 0) return '';
  if (!model.client.trusted)
    return vscode.l10n.t('Others wrote lessons here. Your agents get none until you trust this brain (shield above).');
  const waiting = model.cards.filter((c) => c.waits).length;
  return waiting > 0 ? vscode.l10n.t('Lessons by others that wait for your approval (shield above): {0}', waiting) : '';
}

/** A card as a leaf of a tree. */
export function cardItem(card: Card): vscode.TreeItem {
  const item = new vscode.TreeItem(card.title);
  item.id = card.path;
  item.description = summary(card);
  item.contextValue = contextOf(card);
  const icons = {
    active: card.verified ? 'verified' : 'mortar-board',
    ignored: 'eye-closed',
    archived: 'archive',
    draft: 'edit',
    quarantined: 'error',
  };
  item.iconPath = new vscode.ThemeIcon(card.waits ? 'shield' : icons[card.status]);
  const tip = new vscode.MarkdownString().appendText(card.title).appendMarkdown('\n\n').appendText(card.path);
  if (card.tags.length > 0) tip.appendMarkdown('\n\n').appendText(card.tags.join(', '));
  if (card.quarantine) tip.appendMarkdown('\n\n').appendText(vscode.l10n.t('In quarantine: {0}', card.quarantine));
  item.tooltip = tip;
  item.accessibilityInformation = { label: `${card.title}, ${summary(card)}` };
  item.command = { command: 'handrail.lesson.open', title: vscode.l10n.t('Open'), arguments: [card.path] };
  return item;
}
