// What the last answer left out: an item in the status bar, and a tree.

import * as vscode from 'vscode';
import { cardItem } from './lessons';
import type { Model } from './model';
import type { Footer, Hit, Unaddressed } from './protocol.gen';
import { escapeMarkdown, statusLabel, statusText } from './text';

export type FooterNode = Hit | Unaddressed;

export class FooterView implements vscode.TreeDataProvider<FooterNode>, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChangeTreeData = this.changed.event;
  private readonly bar = vscode.window.createStatusBarItem('handrail.footer', vscode.StatusBarAlignment.Right, 90);
  private readonly view: vscode.TreeView<FooterNode>;
  private readonly subscriptions: vscode.Disposable[];

  constructor(private readonly model: Model) {
    this.bar.name = 'Handrail';
    this.bar.command = 'handrail.lesson.manage';
    this.view = vscode.window.createTreeView('handrail.answer', { treeDataProvider: this });
    this.subscriptions = [this.bar, this.view, this.changed, model.onDidChange(() => this.show())];
  }

  private show(): void {
    const footer = this.model.footer;
    this.bar.text = statusText(footer);
    this.bar.accessibilityInformation = { label: `Handrail: ${statusLabel(footer)}`, role: 'button' };
    this.bar.tooltip = this.tooltip();
    if (this.model.client.brain) this.bar.show();
    else this.bar.hide();
    this.view.message = footer && footer.lessons.length === 0 ? statusLabel(footer) : '';
    this.changed.fire();
  }

  private tooltip(): vscode.MarkdownString {
    const tip = footerList(this.model.footer);
    tip.value = `**Handrail** · ${statusLabel(this.model.footer)}${tip.value}`;
    return tip;
  }

  getChildren(node?: FooterNode): FooterNode[] {
    const footer = this.model.footer;
    if (!node) return [...(footer?.lessons ?? [])];
    return 'item' in node ? [] : (footer?.unaddressed ?? []).filter((u) => u.path === node.path);
  }

  getTreeItem(node: FooterNode): vscode.TreeItem {
    if ('item' in node) {
      const item = new vscode.TreeItem(node.item);
      item.iconPath = new vscode.ThemeIcon('warning', new vscode.ThemeColor('list.warningForeground'));
      item.tooltip = vscode.l10n.t('The answer does not show this. It lacks: {0}', node.missing.join(', '));
      item.accessibilityInformation = { label: vscode.l10n.t('Not addressed: {0}', node.item) };
      item.command = { command: 'handrail.lesson.open', title: vscode.l10n.t('Open'), arguments: [node.path, node.line] };
      return item;
    }
    const card = this.model.card(node.path);
    const item = card ? cardItem(card) : new vscode.TreeItem(node.title);
    const missed = this.getChildren(node).length;
    item.collapsibleState = missed > 0 ? vscode.TreeItemCollapsibleState.Expanded : vscode.TreeItemCollapsibleState.None;
    // An id of its own for each answer: whether a node is open follows what that answer left out.
    item.id = `${this.model.footer?.answerId ?? ''}/${node.path}`;
    return item;
  }

  dispose(): void {
    for (const s of this.subscriptions) s.dispose();
  }
}

/** The cards of an answer and what it left out of each, as links; '' when there are none. */
export function footerList(footer: Footer | undefined): vscode.MarkdownString {
  const list = new vscode.MarkdownString();
  list.isTrusted = { enabledCommands: ['handrail.lesson.open'] };
  for (const card of footer?.lessons ?? []) {
    list.appendMarkdown(`\n\n- ${link(card.title, card.path)}`);
    for (const missed of footer?.unaddressed ?? []) {
      if (missed.path === card.path) list.appendMarkdown(`\n  - ⚠ ${link(missed.item, missed.path, missed.line)}`);
    }
  }
  return list;
}

function link(text: string, path: string, line?: number): string {
  const args = encodeURIComponent(JSON.stringify(line ? [path, line] : [path]));
  return `[${escapeMarkdown(text)}](command:handrail.lesson.open?${args})`;
}
