// What a turn did with the items of its cards: an item in the status bar, a tree, and the text under an answer.

import * as vscode from 'vscode';
import { when } from './ask';
import type { Actions } from './actions';
import { cardItem } from './lessons';
import type { Model } from './model';
import type { Footer, Hit, Place, Verdict } from './protocol.gen';
import { agentName, escapeMarkdown, placeName, statusLabel, statusText } from './text';

/** A row of the tree and the rows below it, and the card or item that its menu is about. */
export interface FooterNode {
  item: vscode.TreeItem;
  below: FooterNode[];
  answerId?: string;
  path?: string;
  verdict?: Verdict;
}

/** How many open items are named; of the rest the number is. */
const named = 3;

function node(item: vscode.TreeItem, below: FooterNode[] = [], open = true, about: Partial<FooterNode> = {}): FooterNode {
  const { Collapsed, Expanded, None } = vscode.TreeItemCollapsibleState;
  item.collapsibleState = below.length === 0 ? None : open ? Expanded : Collapsed;
  return { item, below, ...about };
}

/** The rows of a footer: cards with a broken item first, the items of a card broken, open, only said, kept; then what the commands proved. */
export function rows(footer: Footer, look: (hit: Hit) => vscode.TreeItem): FooterNode[] {
  const { answerId } = footer;
  const cards = footer.lessons.map((hit) => {
    const items = (all: readonly Verdict[], fits: (state: string) => boolean) =>
      all.filter((v) => v.path === hit.path && fits(v.state)).map((v) => verdictNode(v, answerId));
    const broken = items(footer.unaddressed, (state) => state === 'broken');
    const open = items(footer.unaddressed, (state) => state !== 'broken');
    const said = items(footer.verdicts, (state) => state === 'said');
    const kept = items(footer.verdicts, (state) => state === 'kept' || state === 'not-here');
    const rest = open.splice(named);
    const more = rest.length > 0 ? [node(new vscode.TreeItem(vscode.l10n.t('and {0} more', rest.length)), rest, false)] : [];
    const item = look(hit);
    // An id of its own for each answer: whether a node is open follows what came of that answer.
    item.id = `${answerId}/${hit.path}`;
    return {
      first: broken.length > 0,
      row: node(item, [...broken, ...open, ...more, ...said, ...kept], true, { answerId, path: hit.path }),
    };
  });
  const doubts = footer.doubts.map((d) => node(plainItem(d.said ?? d.text, 'warning', 'list.warningForeground')));
  const evidence = footer.evidence.map(({ failed, said, command }) =>
    node(plainItem(said ?? command, failed === undefined ? 'question' : failed ? 'error' : 'pass')),
  );
  const proof = evidence.length > 0 ? [node(plainItem(vscode.l10n.t('What the commands proved'), 'beaker'), evidence)] : [];
  return [...cards.sort((a, b) => Number(b.first) - Number(a.first)).map(({ row }) => row), ...doubts, ...proof];
}

/** An item has the place below that shows it broken or kept. */
function verdictNode(verdict: Verdict, answerId: string): FooterNode {
  const { place, state, path } = verdict;
  const shown = place && placeName(place) && (state === 'broken' || place.path);
  return node(verdictItem(verdict, answerId), shown ? [node(placeItem(place))] : [], state === 'broken', { answerId, path, verdict });
}

export class FooterView implements vscode.TreeDataProvider<FooterNode>, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChangeTreeData = this.changed.event;
  private readonly bar = vscode.window.createStatusBarItem('handrail.footer', vscode.StatusBarAlignment.Right, 90);
  private readonly view: vscode.TreeView<FooterNode>;
  private readonly subscriptions: vscode.Disposable[];
  dispose = () => this.subscriptions.forEach((s) => void s.dispose());

  constructor(private readonly model: Model) {
    this.bar.name = 'Handrail';
    this.view = vscode.window.createTreeView('handrail.answer', { treeDataProvider: this });
    this.subscriptions = [this.bar, this.view, this.changed, model.onDidChange(() => this.show())];
  }

  private show(): void {
    const footer = this.model.footer;
    const stopped = this.model.client.state === 'stopped';
    const paused = this.model.client.paused && vscode.l10n.t('Lessons are paused: none goes before a request. Click to go on.');
    const silent = !vscode.workspace.isTrusted && vscode.l10n.t('This workspace is not trusted: no lesson goes before a request.');
    const trouble = stopped
      ? vscode.l10n.t('Handrail’s server is not running: answers get no lessons. Click to start it again.')
      : silent || paused;
    const look = silent ? '$(mortar-board) $(shield)' : paused ? '$(mortar-board) $(debug-pause)' : statusText(footer);
    const run = silent ? 'workbench.trust.manage' : paused ? 'handrail.pause' : 'handrail.lesson.manage';
    this.bar.text = stopped ? '$(error) Handrail' : look;
    this.bar.backgroundColor = stopped ? new vscode.ThemeColor('statusBarItem.errorBackground') : undefined;
    this.bar.command = stopped ? 'handrail.server.restart' : run;
    this.bar.accessibilityInformation = { label: `Handrail: ${trouble || statusLabel(footer)}`, role: 'button' };
    this.bar.tooltip = trouble || footerList(`**Handrail** · ${statusLabel(footer)}`, footer);
    if (this.model.client.brain || stopped) this.bar.show();
    else this.bar.hide();
    this.view.description = footer ? [origin(footer), footer.asked].filter(Boolean).join(' · ') : '';
    this.view.message = footer && footer.lessons.length === 0 ? statusLabel(footer) : '';
    this.changed.fire();
  }

  getChildren(parent?: FooterNode): FooterNode[] {
    if (parent) return parent.below;
    const [last, ...rest] = this.model.answers;
    const look = ({ path, title }: Hit) => {
      const card = this.model.card(path);
      return card ? cardItem(card, this.model.client.uri(path)) : new vscode.TreeItem(title);
    };
    const earlier = rest.map((footer) => node(answerItem(footer), rows(footer, look), false));
    const before = earlier.length > 0 ? [node(plainItem(vscode.l10n.t('Earlier answers'), 'history'), earlier, false)] : [];
    return [...(last ? rows(last, look) : []), ...before];
  }

  getTreeItem(row: FooterNode): vscode.TreeItem {
    return row.item;
  }

  /** What a person says of an item of an answer, from the menu of its row. */
  register(actions: Actions): vscode.Disposable[] {
    const on = (name: string, run: (path: string, answerId: string, item: string) => unknown) =>
      vscode.commands.registerCommand(`handrail.verdict.${name}`, ({ path = '', answerId = '', verdict }: FooterNode) =>
        run(path, answerId, verdict?.item ?? ''),
      );
    const judge = (name: string, state: string) =>
      on(name, (path, answerId, item) => this.model.client.ask('handrail/judge', { answerId, path, item, state }));
    return [
      judge('addressed', 'kept'),
      judge('notHere', 'not-here'),
      judge('back', ''),
      on('never', (path, answerId) => actions.act('handrail/never', { path, answerId }, 'never')),
    ];
  }
}

function plainItem(label: string, icon: string, color?: string): vscode.TreeItem {
  const item = new vscode.TreeItem(label);
  item.iconPath = new vscode.ThemeIcon(icon, color ? new vscode.ThemeColor(color) : undefined);
  item.tooltip = label;
  return item;
}

/** Who answered and when, and whether the cards did not reach them. */
function origin({ agent, at, lost: count }: Footer): string {
  const time = at && when(at, { timeStyle: 'short' });
  const lost = count ? vscode.l10n.t('did not reach the agent: {0}', count) : '';
  return [agentName(agent ?? ''), time, lost].filter(Boolean).join(' · ');
}

/** An answer by the first words of its request. */
function answerItem(f: Footer): vscode.TreeItem {
  const item = plainItem(f.asked ?? vscode.l10n.t('An answer'), 'comment-discussion');
  item.id = f.answerId;
  item.description = [f.unaddressed.length > 0 ? `⚠${f.unaddressed.length}` : '', origin(f)].filter(Boolean).join(' · ');
  item.tooltip = f.asked;
  return item;
}

function verdictItem(v: Verdict, answerId: string): vscode.TreeItem {
  const lacks = v.missing.join(', ');
  const open = lacks ? vscode.l10n.t('The answer does not show this. It lacks: {0}', lacks) : vscode.l10n.t('Nothing shows this.');
  const unshown = ['warning', 'list.warningForeground', vscode.l10n.t('Not addressed: {0}', v.item), open] as const;
  const looks: Record<string, readonly [icon: string, color: string, label: string, tip: string]> = {
    broken: ['error', 'list.errorForeground', vscode.l10n.t('Broken: {0}', v.item), v.place?.text ?? placeName(v.place)],
    kept: ['pass', 'testing.iconPassed', vscode.l10n.t('Kept: {0}', v.item), placeName(v.place)],
    said: ['comment', 'disabledForeground', vscode.l10n.t('Only the answer says so: {0}', v.item), v.place?.sentence ?? ''],
    'not-here': ['circle-slash', '', vscode.l10n.t('Does not apply here: {0}', v.item), ''],
  };
  const [icon, color, label, tip] = looks[v.state] ?? unshown;
  const item = plainItem(v.item, icon, color);
  item.id = `${answerId}/${v.path}:${v.line}`; // a menu that is open outlives what is new in the tree
  item.tooltip = tip || v.item;
  item.accessibilityInformation = { label };
  if (answerId) item.contextValue = `verdict.${v.by === 'person' ? 'judged' : v.state}`;
  item.command = { command: 'handrail.lesson.open', title: vscode.l10n.t('Open'), arguments: [v.path, v.line] };
  return item;
}

function placeItem(place: Place): vscode.TreeItem {
  const item = plainItem(placeName(place), 'go-to-file');
  if (place.text) item.description = place.text;
  if (place.path) item.command = { command: 'handrail.place.open', title: vscode.l10n.t('Open'), arguments: [place.path, place.line] };
  return item;
}

/** Under a heading the cards of an answer and what came of them, as links. In a chat, what else there is to do too. */
export function footerList(head: string, footer: Footer | undefined, chat?: string): vscode.MarkdownString {
  const list = new vscode.MarkdownString(head + (footer ? footerMarkdown(footer, chat) : ''));
  const commands = ['lesson.open', 'place.open', 'lesson.why', 'lesson.manage', 'lesson.create'];
  list.isTrusted = { enabledCommands: commands.map((name) => `handrail.${name}`) };
  return list;
}

/** The cards, then broken items with the line that breaks them, open items, what is only said, doubts and evidence. */
export function footerMarkdown(footer: Footer, chat = ''): string {
  const open = footer.unaddressed.filter((v) => v.state !== 'broken');
  const more = open.length - named;
  const said = footer.verdicts.filter((v) => v.state === 'said');
  const list = [
    ...footer.unaddressed
      .filter((v) => v.state === 'broken')
      .map((v) => `⚠ ${vscode.l10n.t('Broken: {0}', [cardLink(v.item, v.path, v.line), placeLink(v.place)].filter(Boolean).join(' · '))}`),
    ...open.slice(0, named).map((v) => `⚠ ${cardLink(v.item, v.path, v.line)}`),
    ...(more > 0 ? [vscode.l10n.t('and {0} more', more)] : []),
    ...said.slice(0, named).map((v) => vscode.l10n.t('Only the answer says so: {0}', cardLink(v.item, v.path, v.line))),
    ...footer.doubts.map((d) => `⚠ ${escapeMarkdown(d.said ?? d.text)}`),
    ...footer.evidence.map((e) => escapeMarkdown(e.said ?? e.command)),
  ];
  const why = link(vscode.l10n.t('Why?'), 'handrail.lesson.why', [{ answerId: footer.answerId }]);
  const manage = link(vscode.l10n.t('Manage Lessons'), 'handrail.lesson.manage', []);
  const record = chat ? link(vscode.l10n.t('Record a Lesson'), 'handrail.lesson.create', [chat]) : '';
  const cards = [...footer.lessons.map((card) => cardLink(card.title, card.path)), ...(footer.lessons.length > 0 ? [why] : [])].join(' · ');
  const rest = chat ? [manage, record].join(' · ') : '';
  return [cards, list.map((line) => `- ${line}`).join('\n'), rest].map((part) => part && `\n\n${part}`).join('');
}

export function cardLink(text: string, path: string, line?: number): string {
  return link(text, 'handrail.lesson.open', line ? [path, line] : [path]);
}

function placeLink(place: Place | undefined): string {
  const name = placeName(place);
  return place?.path ? link(name, 'handrail.place.open', place.line ? [place.path, place.line] : [place.path]) : escapeMarkdown(name);
}

/** A link of markdown, which a parenthesis or a quote in a card's path does not end. */
function link(text: string, command: string, args: unknown[]): string {
  const query = encodeURIComponent(JSON.stringify(args)).replace(/['()]/g, (c) => `%${c.charCodeAt(0).toString(16)}`);
  return `[${escapeMarkdown(text)}](command:${command}?${query})`;
}
