// What a turn did with the items of its cards: an item in the status bar, a tree, and the text under an answer.

import * as vscode from 'vscode';
import { when } from './ask';
import type { Actions } from './actions';
import { cardItem } from './lessons';
import type { Model } from './model';
import type { Footer, Hit, Place, Verdict } from './protocol.gen';
import { agentName, bare, escapeMarkdown, momentName, placeName, statusLabel, statusText } from './text';

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

/** How a verdict looks in each state: by shape and word, the colour is for those who see it. */
function look(state: string, item: string): readonly [icon: string, color: string, words: string] {
  const looks: Record<string, readonly [string, string, string]> = {
    broken: ['error', 'list.errorForeground', vscode.l10n.t('Broken: {0}', item)],
    said: ['comment', 'descriptionForeground', vscode.l10n.t('Only said: {0}', item)],
    kept: ['pass', 'testing.iconPassed', vscode.l10n.t('Kept: {0}', item)],
    'not-here': ['circle-slash', '', vscode.l10n.t('Not here: {0}', item)],
  };
  return looks[state] ?? ['warning', 'list.warningForeground', vscode.l10n.t('Open: {0}', item)];
}

/** The rows of a footer: cards with a broken item first, the items of a card in the order of their states; then what the commands proved. */
export function rows(footer: Footer, card: (hit: Hit) => vscode.TreeItem): FooterNode[] {
  const { answerId, verdicts } = footer;
  const cards = footer.lessons.map((hit) => {
    const mine = (state: string) =>
      verdicts
        .filter((v) => v.path === hit.path && v.state === state)
        .map((v) => node(verdictItem(v, answerId), [], false, { answerId, path: hit.path, verdict: v }));
    const [broken, open] = [mine('broken'), mine('open')];
    const rest = open.splice(named);
    const more = rest.length > 0 ? [node(new vscode.TreeItem(vscode.l10n.t('and {0} more', rest.length)), rest, false)] : [];
    const all = [...broken, ...open, ...more, ...mine('said'), ...mine('kept'), ...mine('not-here')];
    const item = card(hit);
    // An id of its own for each answer: whether a node is open follows what came of that answer.
    item.id = `${answerId}/${hit.path}`;
    item.iconPath = new vscode.ThemeIcon('mortar-board'); // shapes are for what came of it
    item.description = [item.description, momentName(footer.moments?.[hit.path])].filter(Boolean).join(' · ');
    return { first: broken.length > 0, row: node(item, all, true, { answerId, path: hit.path }) };
  });
  const doubts = footer.doubts.map((d) => node(plainItem(d.said ?? d.text, 'warning', 'list.warningForeground')));
  const evidence = footer.evidence.map(({ failed, said, command }) =>
    node(plainItem(said ?? command, failed === undefined ? 'question' : failed ? 'error' : 'pass')),
  );
  const proof = evidence.length > 0 ? [node(plainItem(vscode.l10n.t('What the commands proved'), 'beaker'), evidence)] : [];
  return [...cards.sort((a, b) => Number(b.first) - Number(a.first)).map(({ row }) => row), ...doubts, ...proof];
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
    const { client } = this.model;
    const stopped = client.state === 'stopped';
    const [text, command, trouble] = stopped
      ? [
          '$(error) Handrail',
          'server.restart',
          vscode.l10n.t('Handrail’s server is not running: answers get no lessons. Click to start it again.'),
        ]
      : !vscode.workspace.isTrusted
        ? ['$(mortar-board) $(shield)', 'trust', vscode.l10n.t('This workspace is not trusted: no lesson goes before a request.')]
        : client.paused
          ? ['$(mortar-board) $(debug-pause)', 'pause', vscode.l10n.t('Lessons are paused: none goes before a request. Click to go on.')]
          : [statusText(footer), 'lesson.manage', ''];
    this.bar.text = text;
    this.bar.backgroundColor = stopped ? new vscode.ThemeColor('statusBarItem.errorBackground') : undefined;
    this.bar.command = command === 'trust' ? 'workbench.trust.manage' : `handrail.${command}`;
    this.bar.accessibilityInformation = { label: `Handrail: ${trouble || statusLabel(footer)}`, role: 'button' };
    this.bar.tooltip = trouble || footerList(`**Handrail** · ${statusLabel(footer)}`, footer);
    if (client.brain || stopped) this.bar.show();
    else this.bar.hide();
    this.view.description = footer ? [origin(footer), footer.asked].filter(Boolean).join(' · ') : '';
    this.view.message = footer && footer.lessons.length === 0 ? statusLabel(footer) : '';
    this.changed.fire();
  }

  getChildren(parent?: FooterNode): FooterNode[] {
    if (parent) return parent.below;
    const [last, ...rest] = this.model.answers;
    const row = ({ path, title }: Hit) => {
      const card = this.model.card(path);
      return card ? cardItem(card, this.model.client.uri(path)) : new vscode.TreeItem(title);
    };
    const earlier = rest.map((footer) => node(answerItem(footer), rows(footer, row), false));
    const before = earlier.length > 0 ? [node(plainItem(vscode.l10n.t('Earlier answers'), 'history'), earlier, false)] : [];
    return [...(last ? rows(last, row) : []), ...before];
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
function origin({ agent, at, tokens, lost: count }: Footer): string {
  const time = at && when(at, { timeStyle: 'short' });
  const lost = count ? vscode.l10n.t('did not reach the agent: {0}', count) : '';
  return [agentName(agent ?? ''), time, tokens && vscode.l10n.t('{0} tokens', tokens), lost].filter(Boolean).join(' · ');
}

/** An answer by the first words of its request. */
function answerItem(f: Footer): vscode.TreeItem {
  const item = plainItem(f.asked ?? vscode.l10n.t('An answer'), 'comment-discussion');
  item.id = f.answerId;
  item.description = [f.unaddressed.length > 0 ? `⚠${f.unaddressed.length}` : '', origin(f)].filter(Boolean).join(' · ');
  item.tooltip = f.asked;
  return item;
}

/** An item; a click leads to the line that shows its state, else to the card. */
function verdictItem(v: Verdict, answerId: string): vscode.TreeItem {
  const [icon, color, words] = look(v.state, bare(v.item));
  const { place } = v;
  const item = plainItem(words, icon, color);
  item.id = `${answerId}/${v.path}:${v.line}`; // a menu that is open outlives what is new in the tree
  item.description = placeName(place);
  const lacks = v.missing.length > 0 ? vscode.l10n.t('The answer does not show this. It lacks: {0}', v.missing.join(', ')) : '';
  item.tooltip = [words, placeName(place), place?.text ?? place?.sentence, lacks].filter(Boolean).join('\n\n');
  item.accessibilityInformation = { label: [words, placeName(place)].filter(Boolean).join(', ') };
  if (answerId) item.contextValue = `verdict.${v.by === 'person' ? 'judged' : v.state}`;
  const line = place?.path && place.line ? { command: 'handrail.place.open', arguments: [place.path, place.line] } : undefined;
  item.command = { command: 'handrail.lesson.open', arguments: [v.path, v.line], ...line, title: vscode.l10n.t('Open') };
  return item;
}

/** Under a heading the cards of an answer and what came of them, as links. In a chat, what else there is to do too. */
export function footerList(head: string, footer: Footer | undefined, chat?: string): vscode.MarkdownString {
  const list = new vscode.MarkdownString(head + (footer ? footerMarkdown(footer, chat) : ''), true);
  const commands = ['lesson.open', 'place.open', 'lesson.why', 'lesson.manage', 'lesson.create', 'verdict.notHere'];
  list.isTrusted = { enabledCommands: commands.map((name) => `handrail.${name}`) };
  return list;
}

/** The cards and when they were shown, then broken items with the line that breaks them, open items, what is only said, how many are kept, doubts and evidence. */
export function footerMarkdown({ answerId, lessons, moments, verdicts, doubts, evidence }: Footer, chat = ''): string {
  const of = (state: string) => verdicts.filter((v) => v.state === state);
  const line = ({ state, path, item, line, place }: Verdict) => {
    const notHere = { path, answerId, verdict: { item } };
    const ways =
      state === 'said' ? [] : [placeLink(place), answerId && link(vscode.l10n.t('Not here'), 'handrail.verdict.notHere', [notHere])];
    const [icon, , words] = look(state, [cardLink(bare(item), path, line), ...ways].filter(Boolean).join(' · '));
    return `$(${icon}) ${words}`;
  };
  const more = of('open').length - named;
  const kept = of('kept').length;
  const list = [
    ...of('broken').map(line),
    ...of('open').slice(0, named).map(line),
    ...(more > 0 ? [vscode.l10n.t('and {0} more', more)] : []),
    ...of('said').slice(0, named).map(line),
    ...(kept > 0 ? [`$(pass) ${look('kept', String(kept))[2]}`] : []),
    ...doubts.map((d) => `⚠ ${escapeMarkdown(d.said ?? d.text)}`),
    ...evidence.map((e) => escapeMarkdown(e.said ?? e.command)),
  ];
  const why = link(vscode.l10n.t('Why?'), 'handrail.lesson.why', [{ answerId }]);
  const manage = link(vscode.l10n.t('Manage Lessons'), 'handrail.lesson.manage', []);
  const record = chat ? link(vscode.l10n.t('Record a Lesson'), 'handrail.lesson.create', [chat]) : '';
  const shown = lessons.map(({ title, path }) => {
    const moment = momentName(moments?.[path]);
    return cardLink(bare(title), path) + (moment && ` (${moment})`);
  });
  const cards = [...shown, ...(shown.length > 0 ? [why] : [])].join(' · ');
  const rest = chat ? [manage, record].join(' · ') : '';
  return [cards, list.map((text) => `- ${text}`).join('\n'), rest].map((part) => part && `\n\n${part}`).join('');
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
