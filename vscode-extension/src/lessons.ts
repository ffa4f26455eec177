// The tree of cards: by project when there are several, this one first, then by kind.

import * as vscode from 'vscode';
import type { Actions } from './actions';
import type { Model } from './model';
import type { Card, Kind } from './protocol.gen';
import { contextOf, kindName, summary } from './text';

/** A group of cards, or a card. */
export type LessonNode = { label: string; id: string; open: boolean; cards: readonly Card[]; children: LessonNode[] } | Card;

/** What decides where a card stands beside what it is. */
export interface Here {
  project?: string | undefined; // this one, which is open and first
  file?: ReadonlySet<string>; // the cards of the file in front, by path
  ranks?: Map<string, number>; // of cards by path: one that is put away keeps its place
  now?: number; // milliseconds
}

/** How long a mistake that came back counts as lately, in milliseconds. */
const lately = 14 * 24 * 3600 * 1000;

/**
 * Orders cards into groups, each card in the first that it belongs to: those of the file in front, standing rules, those whose mistake
 * came back lately, and the rest by kind, as the brain's folders have them. Other projects are folded. Those in use and seen last come first.
 */
export function tree(cards: readonly Card[], { project: here, file, ranks = new Map(), now = Date.now() }: Here = {}): LessonNode[] {
  for (const c of cards) if (!ranks.has(c.path)) ranks.set(c.path, statuses.indexOf(c.status));
  const rank = (c: Card) => (c.broken ? -1 : (ranks.get(c.path) ?? 0)); // what cannot be read comes first
  const order = (a: Card, b: Card) => rank(a) - rank(b) || b.lastSeen.localeCompare(a.lastSeen) || a.title.localeCompare(b.title);
  const placeOf = (c: Card) => {
    if (file?.has(c.path)) return '0';
    if (c.status !== 'active') return c.kind;
    if (standing.includes(c.kind)) return '1';
    return c.occurrences > 1 && now - Date.parse(c.lastSeen) < lately ? '2' : c.kind;
  };
  const names: Record<string, string> = {
    0: vscode.l10n.t('This file'),
    1: vscode.l10n.t('In every conversation'),
    2: vscode.l10n.t('Came back lately'),
  };
  const places = (list: readonly Card[], parent: string): LessonNode[] =>
    group(list, placeOf).map(([place, cards]) => ({
      label: names[place] ?? kindName(place as Kind),
      id: `${parent}/${place}`,
      open: true,
      cards,
      children: [...cards].sort(order),
    }));
  const projects = group(cards, (c) => c.project);
  if (projects.length < 2) return places(cards, '');
  projects.sort(([a], [b]) => Number(b === here) - Number(a === here)); // the others stay as they are
  return projects.map(([name, cards], i) => ({
    label: name || vscode.l10n.t('All projects'),
    id: i === 0 ? `${name}*` : name, // whether a person opened it is remembered by this
    open: i === 0,
    cards,
    children: places(cards, name),
  }));
}

/** The kinds that hold by themselves. */
const standing = ['policy', 'preference', 'architecture'];

function group(cards: readonly Card[], key: (c: Card) => string): [string, Card[]][] {
  const groups = new Map<string, Card[]>();
  for (const c of cards) groups.set(key(c), groups.get(key(c))?.concat(c) ?? [c]);
  return [...groups].sort(([a], [b]) => a.localeCompare(b));
}

const statuses = ['active', 'conflicted', 'draft', 'quarantined', 'archived'];

export class LessonsView implements vscode.TreeDataProvider<LessonNode>, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChangeTreeData = this.changed.event;
  private readonly subscriptions: vscode.Disposable[];
  private readonly ranks = new Map<string, number>(); // a card that is put away stays where it is: no other comes under the pointer
  private file: ReadonlySet<string> = new Set();
  dispose = () => this.subscriptions.forEach((s) => void s.dispose());

  constructor(
    private readonly model: Model,
    actions: Actions,
  ) {
    const view = vscode.window.createTreeView('handrail.lessons', { treeDataProvider: this, showCollapseAll: true, canSelectMany: true });
    actions.selected = () => view.selection.flatMap((node) => ('children' in node ? [] : node));
    const { title } = view;
    const refresh = () => {
      view.message = untold(model);
      view.title = [title, model.client.place].filter(Boolean).join(' · '); // VS Code shows no description of a view that is alone
      void vscode.commands.executeCommand('setContext', 'handrail.others', view.message !== '');
      this.changed.fire();
    };
    this.subscriptions = [
      view,
      this.changed,
      model.onDidChange(refresh),
      vscode.window.onDidChangeActiveTextEditor((editor) => void this.look(editor)),
      vscode.window.registerFileDecorationProvider({ provideFileDecoration: decoration }),
    ];
  }

  /** Asks which cards the file in front has. A tree that stays the same is not drawn again. */
  private async look(editor: vscode.TextEditor | undefined): Promise<void> {
    if (editor?.document.uri.scheme !== 'file' || !this.model.client.brain) return; // as an output in front, or none for a moment
    const cards = await this.model.client.request('handrail/lessons', { file: editor.document.uri.toString() }).catch(() => []);
    const file = new Set(cards.map((c) => c.path));
    if (file.size === this.file.size && [...file].every((path) => this.file.has(path))) return;
    this.file = file;
    this.changed.fire();
  }

  getChildren(node?: LessonNode): LessonNode[] {
    if (!node) return tree(this.model.cards, { project: this.model.projectOf(), file: this.file, ranks: this.ranks });
    return 'children' in node ? node.children : [];
  }

  getTreeItem(node: LessonNode): vscode.TreeItem {
    if (!('children' in node)) return cardItem(node, this.model.client.uri(node.path));
    const { Collapsed, Expanded } = vscode.TreeItemCollapsibleState;
    const item = new vscode.TreeItem(node.label, node.open ? Expanded : Collapsed);
    item.id = node.id;
    const broken = node.cards.filter((c) => c.broken).length;
    item.description = broken > 0 ? vscode.l10n.t('{0} · cannot be read: {1}', node.cards.length, broken) : String(node.cards.length);
    return item;
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

/** The end of a card's row: a badge and a colour by what its address says of it, which is so only in our trees. */
export function decoration({ scheme, query }: vscode.Uri): vscode.FileDecoration | undefined {
  if (scheme !== 'handrail' || !query) return undefined;
  const [badge, tip, color] = {
    broken: ['!', vscode.l10n.t('cannot be read'), 'list.errorForeground'],
    conflicted: ['!', vscode.l10n.t('in conflict'), 'list.warningForeground'],
    verified: ['✓', vscode.l10n.t('verified')],
    stale: ['Z', vscode.l10n.t('not used for long'), 'descriptionForeground'],
  }[query] ?? [undefined, undefined, 'descriptionForeground'];
  return new vscode.FileDecoration(badge, tip, color ? new vscode.ThemeColor(color) : undefined);
}

/** A card as a leaf of a tree. VS Code's own command leaves the focus in the tree after one click, as in the Explorer. */
export function cardItem(card: Card, file: vscode.Uri): vscode.TreeItem {
  const item = new vscode.TreeItem(card.title);
  item.id = card.path;
  item.description = card.status === 'active' && !card.broken ? '' : (summary(card).split(' · ')[0] ?? ''); // the title needs the room
  item.contextValue = contextOf(card);
  const icons = {
    active: { high: 'warning', medium: 'mortar-board', low: 'circle-outline' }[card.severity],
    archived: 'archive',
    draft: 'edit',
    quarantined: 'circle-slash',
    conflicted: 'git-merge',
  };
  const { status, broken, stale, verified } = card;
  const marks = { conflicted: status === 'conflicted', broken, stale, away: status === 'archived', verified };
  const mark = Object.entries(marks).find(([, is]) => is)?.[0] ?? '';
  const color = mark === 'broken' ? 'list.errorForeground' : mark === 'conflicted' ? 'list.warningForeground' : colors[card.severity];
  const icon = mark === 'broken' ? 'error' : card.waits ? 'shield' : icons[card.status];
  item.iconPath = new vscode.ThemeIcon(icon, color ? new vscode.ThemeColor(color) : undefined);
  item.resourceUri = vscode.Uri.from({ scheme: 'handrail', path: `/${card.path}`, query: mark });
  const tip = new vscode.MarkdownString().appendText(card.title).appendMarkdown('\n\n').appendText(summary(card));
  tip.appendMarkdown('\n\n').appendText(card.path);
  if (card.tags.length > 0) tip.appendMarkdown('\n\n').appendText(card.tags.join(', '));
  if (card.quarantine) tip.appendMarkdown('\n\n').appendText(vscode.l10n.t('Wrong: {0}', card.quarantine));
  item.tooltip = tip;
  item.accessibilityInformation = { label: `${card.title}, ${summary(card)}` };
  item.command = { command: 'vscode.open', title: vscode.l10n.t('Open'), arguments: [file] };
  return item;
}

/** Of icons; medium has that of the text. */
const colors = { high: 'list.warningForeground', medium: '', low: 'descriptionForeground' };
