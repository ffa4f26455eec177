// What a turn did with the items of its cards: an item in the status bar, a tree, and the text under an answer.

import * as vscode from 'vscode';
import { when } from './ask';
import type { Actions } from './actions';
import { cardItem } from './lessons';
import type { Model } from './model';
import type { Doubt, Evidence, Footer, Hit, Place, Verdict } from './protocol.gen';
import { agentName, escapeMarkdown, placeName, statusLabel, statusText } from './text';

/** A row of the tree and the rows below it. */
export type FooterNode =
  | { kind: 'answer'; footer: Footer; below: FooterNode[] }
  | { kind: 'earlier'; below: FooterNode[] }
  | { kind: 'card'; answerId: string; path: string; hit: Hit; below: FooterNode[] }
  | { kind: 'verdict'; answerId: string; verdict: Verdict; below: FooterNode[] }
  | { kind: 'place'; place: Place; below: FooterNode[] }
  | { kind: 'more'; below: FooterNode[] }
  | { kind: 'doubt'; doubt: Doubt; below: FooterNode[] }
  | { kind: 'proof'; below: FooterNode[] }
  | { kind: 'evidence'; evidence: Evidence; below: FooterNode[] };

/** How many open items are named; of the rest the number is. */
const named = 3;

/** The rows of a footer: cards with a broken item first, the items of a card broken, open, kept; then what the commands proved. */
export function rows(footer: Footer): FooterNode[] {
  const { answerId } = footer;
  const row = (verdict: Verdict) => verdictRow(answerId, verdict);
  const cards = footer.lessons.map((hit) => {
    const broken = footer.unaddressed.filter((v) => v.path === hit.path && v.state === 'broken').map(row);
    const open = footer.unaddressed.filter((v) => v.path === hit.path && v.state !== 'broken').map(row);
    const kept = footer.verdicts.filter((v) => v.path === hit.path && (v.state === 'kept' || v.state === 'not-here')).map(row);
    const rest = open.splice(named);
    const more: FooterNode[] = rest.length > 0 ? [{ kind: 'more', below: rest }] : [];
    return {
      broken: broken.length > 0,
      node: { kind: 'card', answerId, path: hit.path, hit, below: [...broken, ...open, ...more, ...kept] } satisfies FooterNode,
    };
  });
  const doubts = footer.doubts.map((doubt): FooterNode => ({ kind: 'doubt', doubt, below: [] }));
  const evidence = footer.evidence.map((e): FooterNode => ({ kind: 'evidence', evidence: e, below: [] }));
  return [
    ...[...cards].sort((a, b) => Number(b.broken) - Number(a.broken)).map(({ node }) => node),
    ...doubts,
    ...(evidence.length > 0 ? [{ kind: 'proof', below: evidence } satisfies FooterNode] : []),
  ];
}

/** A broken item has the line that breaks it below. */
function verdictRow(answerId: string, verdict: Verdict): FooterNode {
  const { place, state } = verdict;
  const below: FooterNode[] = state === 'broken' && place && placeName(place) ? [{ kind: 'place', place, below: [] }] : [];
  return { kind: 'verdict', answerId, verdict, below };
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
    this.bar.command = 'handrail.lesson.manage';
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
    this.bar.tooltip = trouble || this.tooltip();
    if (this.model.client.brain || stopped) this.bar.show();
    else this.bar.hide();
    this.view.description = footer ? [origin(footer), footer.asked].filter(Boolean).join(' · ') : '';
    this.view.message = footer && footer.lessons.length === 0 ? statusLabel(footer) : '';
    this.changed.fire();
  }

  private tooltip(): vscode.MarkdownString {
    const tip = footerList(this.model.footer);
    tip.value = `**Handrail** · ${statusLabel(this.model.footer)}${tip.value}`;
    return tip;
  }

  getChildren(node?: FooterNode): FooterNode[] {
    if (node) return node.below;
    const [last, ...rest] = this.model.answers;
    const earlier = rest.map((footer): FooterNode => ({ kind: 'answer', footer, below: rows(footer) }));
    return [...(last ? rows(last) : []), ...(earlier.length > 0 ? [{ kind: 'earlier' as const, below: earlier }] : [])];
  }

  getTreeItem(node: FooterNode): vscode.TreeItem {
    const item = this.item(node);
    const folded = node.kind === 'more' || node.kind === 'answer' || node.kind === 'earlier';
    const { Collapsed, Expanded, None } = vscode.TreeItemCollapsibleState;
    item.collapsibleState = node.below.length === 0 ? None : folded ? Collapsed : Expanded;
    return item;
  }

  private item(node: FooterNode): vscode.TreeItem {
    switch (node.kind) {
      case 'answer':
        return answerItem(node.footer);
      case 'earlier':
        return plainItem(vscode.l10n.t('Earlier answers'), 'history');
      case 'card': {
        const { path, title } = node.hit;
        const card = this.model.card(path);
        const item = card ? cardItem(card, this.model.client.uri(path)) : new vscode.TreeItem(title);
        // An id of its own for each answer: whether a node is open follows what came of that answer.
        item.id = `${node.answerId}/${path}`;
        return item;
      }
      case 'verdict':
        return verdictItem(node.verdict, node.answerId);
      case 'place':
        return placeItem(node.place);
      case 'more':
        return new vscode.TreeItem(vscode.l10n.t('and {0} more', node.below.length));
      case 'doubt':
        return plainItem(node.doubt.said ?? node.doubt.text, 'warning', 'list.warningForeground');
      case 'proof':
        return plainItem(vscode.l10n.t('What the commands proved'), 'beaker');
      case 'evidence': {
        const { failed } = node.evidence;
        const icon = failed === undefined ? 'question' : failed ? 'error' : 'pass';
        return plainItem(node.evidence.said ?? node.evidence.command, icon);
      }
    }
  }

  /** What a person says of an item of an answer, from the menu of its row. */
  register(actions: Actions): vscode.Disposable[] {
    type Row = Extract<FooterNode, { kind: 'verdict' }>;
    const on = (name: string, run: (row: Row) => unknown) => vscode.commands.registerCommand(`handrail.verdict.${name}`, run);
    const judge =
      (state: string) =>
      ({ answerId, verdict: { path, item } }: Row) =>
        this.model.client.ask('handrail/judge', { answerId, path, item, state });
    return [
      on('addressed', judge('kept')),
      on('notHere', judge('not-here')),
      on('back', judge('')),
      vscode.commands.registerCommand('handrail.verdict.never', (row: Row | Extract<FooterNode, { kind: 'card' }>) =>
        actions.act('handrail/never', { path: row.kind === 'card' ? row.path : row.verdict.path, answerId: row.answerId }, 'never'),
      ),
      on('drop', ({ verdict: { path, item } }) => actions.act('handrail/dropItem', { path, item }, 'drop')),
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
function origin({ agent, at, delivery }: Footer): string {
  const time = at && when(at, { timeStyle: 'short' });
  const lost = delivery?.lost ? vscode.l10n.t('did not reach the agent: {0}', delivery.lost) : '';
  return [agentName(agent ?? ''), time, lost].filter(Boolean).join(' · ');
}

/** An answer by the first words of its request. */
function answerItem(f: Footer): vscode.TreeItem {
  const item = plainItem(f.asked ?? vscode.l10n.t('An answer'), 'comment-discussion');
  item.id = f.answerId;
  item.description = [f.unaddressed.length > 0 ? `⚠${f.unaddressed.length}` : '', origin(f)].filter(Boolean).join(' · ');
  item.tooltip = [f.asked, f.summary].filter(Boolean).join('\n');
  return item;
}

function verdictItem(v: Verdict, answerId: string): vscode.TreeItem {
  const looks = {
    broken: {
      icon: 'error',
      color: 'list.errorForeground',
      label: vscode.l10n.t('Broken: {0}', v.item),
      tip: v.place?.text ?? placeName(v.place),
    },
    kept: { icon: 'pass', color: 'testing.iconPassed', label: vscode.l10n.t('Kept: {0}', v.item), tip: placeName(v.place) },
    'not-here': { icon: 'circle-slash', color: '', label: vscode.l10n.t('Does not apply here: {0}', v.item), tip: '' },
    open: {
      icon: 'warning',
      color: 'list.warningForeground',
      label: vscode.l10n.t('Not addressed: {0}', v.item),
      tip:
        v.missing.length > 0
          ? vscode.l10n.t('The answer does not show this. It lacks: {0}', v.missing.join(', '))
          : vscode.l10n.t('Nothing shows this.'),
    },
  };
  const { icon, color, label, tip } = v.state in looks ? looks[v.state as keyof typeof looks] : looks.open;
  const item = plainItem(v.item, icon, color);
  item.id = `${answerId}/${v.path}:${v.line}`; // a menu that is open outlives what is new in the tree
  item.tooltip = tip || v.item;
  item.accessibilityInformation = { label };
  if (answerId) item.contextValue = `verdict.${v.by === 'person' ? 'said' : v.state}.${v.place?.path ? 'place' : ''}`;
  item.command = { command: 'handrail.lesson.open', title: vscode.l10n.t('Open'), arguments: [v.path, v.line] };
  return item;
}

function placeItem(place: Place): vscode.TreeItem {
  const item = plainItem(placeName(place), 'go-to-file');
  if (place.text) item.description = place.text;
  if (place.path) item.command = { command: 'handrail.place.open', title: vscode.l10n.t('Open'), arguments: [place.path, place.line] };
  return item;
}

/** Opens a file of the workspace, at a 1-based line when one is known. */
export async function openPlace(path: string, line?: number): Promise<void> {
  const selection = line ? new vscode.Range(line - 1, 0, line - 1, 0) : undefined;
  await vscode.commands.executeCommand('vscode.open', vscode.Uri.file(path), selection ? { selection } : {});
}

/** The cards of an answer and what came of them, as links; '' when there is nothing to say. In a chat, what else there is to do too. */
export function footerList(footer: Footer | undefined, chat?: string): vscode.MarkdownString {
  return trusted(footer ? footerMarkdown(footer, chat) : '');
}

/** Markdown whose links may run the commands that it has. */
export function trusted(text: string): vscode.MarkdownString {
  const list = new vscode.MarkdownString(text);
  const commands = ['lesson.open', 'place.open', 'lesson.why', 'lesson.manage', 'lesson.create'];
  list.isTrusted = { enabledCommands: commands.map((name) => `handrail.${name}`) };
  return list;
}

/** The cards, then broken items with the line that breaks them, open items, doubts and evidence. */
export function footerMarkdown(footer: Footer, chat = ''): string {
  const open = footer.unaddressed.filter((v) => v.state !== 'broken');
  const more = open.length - named;
  const list = [
    ...footer.unaddressed
      .filter((v) => v.state === 'broken')
      .map((v) => `⚠ ${vscode.l10n.t('Broken: {0}', [cardLink(v.item, v.path, v.line), placeLink(v.place)].filter(Boolean).join(' · '))}`),
    ...open.slice(0, named).map((v) => `⚠ ${cardLink(v.item, v.path, v.line)}`),
    ...(more > 0 ? [vscode.l10n.t('and {0} more', more)] : []),
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
