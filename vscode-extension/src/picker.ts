// The list of cards to search, filter and manage from the keyboard; what is typed is looked for in the text of cards and notes too.

import * as vscode from 'vscode';
import type { Actions } from './actions';
import type { Model } from './model';
import type { Card, Hit, Kind, CardFilter, Retrieved, Source } from './protocol.gen';
import { kindName, passage, summary } from './text';

/** What the picker shows of all cards. */
export type Filter = Pick<CardFilter, 'scope' | 'kind' | 'source'>;

/** One titled run of cards. */
export interface Group {
  label: string;
  cards: Card[];
}

/** Sorts cards into the picker's groups; each card stands in the first that it fits. */
export function groups(cards: readonly Card[], served: readonly string[], here: string | undefined): Group[] {
  const rest = new Set(cards);
  const take = (label: string, fits: (c: Card) => boolean): Group => {
    const found = [...rest].filter(fits);
    for (const c of found) rest.delete(c);
    return { label, cards: found };
  };
  return [
    take(vscode.l10n.t('In the last answer'), (c) => served.includes(c.path)),
    take(vscode.l10n.t('Drafts'), (c) => c.status === 'draft'),
    take(vscode.l10n.t('This project'), (c) => c.status === 'active' && (!c.project || c.project === here)),
    take(vscode.l10n.t('Other projects'), (c) => c.status === 'active'),
    take(vscode.l10n.t('Put away as wrong'), (c) => c.status === 'quarantined'),
    take(vscode.l10n.t('In conflict'), (c) => c.status === 'conflicted'),
    take(vscode.l10n.t('Put away'), () => true),
  ].filter((g) => g.cards.length > 0);
}

/** Milliseconds without a key before the brain is searched. */
const pause = 150;

/** How many hits a search shows. */
const most = 20;

interface CardItem extends vscode.QuickPickItem {
  path: string;
}

/** What a search found of the listed cards, and of notes unless the list is filtered, with the passage; VS Code's own filter leaves it in. */
export function foundItems(found: Retrieved, cards: readonly Card[], filtered: boolean): (Hit & { card?: Card; detail: string })[] {
  return [...found.lessons, ...(filtered ? [] : found.notes)].flatMap((hit) => {
    const card = cards.find((c) => c.path === hit.path);
    if (!card && hit.kind !== '') return [];
    return [{ ...hit, ...(card && { card }), detail: passage(hit.excerpt) }];
  });
}

/** The picker while it is open; closes and disposes itself. */
export class Picker {
  private readonly pick = vscode.window.createQuickPick<CardItem | vscode.QuickPickItem>();
  private readonly filter: Filter = {};
  private loads = 0;
  private all = false;
  private readonly acted = new Set<string>(); // stay in the list whatever became of them
  private typing: NodeJS.Timeout | undefined;
  private readonly buttons = {
    edit: { iconPath: new vscode.ThemeIcon('edit'), tooltip: vscode.l10n.t('Edit') },
    away: { iconPath: new vscode.ThemeIcon('archive'), tooltip: vscode.l10n.t('Put away') },
    restore: { iconPath: new vscode.ThemeIcon('eye'), tooltip: vscode.l10n.t('Use again') },
    why: { iconPath: new vscode.ThemeIcon('question'), tooltip: vscode.l10n.t('Why this card?') },
    delete: { iconPath: new vscode.ThemeIcon('trash'), tooltip: vscode.l10n.t('Delete') },
  };
  private readonly filters = {
    scope: { iconPath: new vscode.ThemeIcon('calendar'), tooltip: vscode.l10n.t('Filter by day') },
    kind: { iconPath: new vscode.ThemeIcon('symbol-class'), tooltip: vscode.l10n.t('Filter by kind') },
    source: { iconPath: new vscode.ThemeIcon('person'), tooltip: vscode.l10n.t('Filter by source') },
    all: { iconPath: new vscode.ThemeIcon('archive'), tooltip: vscode.l10n.t('Cards that are not active too') },
    add: { iconPath: new vscode.ThemeIcon('add'), tooltip: vscode.l10n.t('New Lesson') },
  };

  constructor(
    private readonly model: Model,
    private readonly actions: Actions,
    query = '',
  ) {
    const pick = this.pick;
    pick.value = query;
    pick.placeholder = vscode.l10n.t('Search the text of lessons and notes');
    pick.matchOnDescription = pick.matchOnDetail = true;
    pick.keepScrollPosition = true;
    pick.buttons = Object.values(this.filters);
    const subscriptions = [
      model.onDidChange(() => void this.load()),
      pick.onDidChangeValue(() => {
        clearTimeout(this.typing);
        pick.busy = true;
        this.typing = setTimeout(() => void this.load(), pause);
      }),
      pick.onDidTriggerButton((b) => void this.narrow(b)),
      pick.onDidTriggerItemButton((e) => void this.act(e.button, e.item)),
      pick.onDidAccept(() => {
        const chosen = pick.selectedItems[0];
        if (!chosen || !('path' in chosen)) return;
        pick.hide();
        void actions.open(chosen.path, undefined, true);
      }),
      pick.onDidHide(() => {
        if (pick.ignoreFocusOut) return; // a question of ours stands before it
        clearTimeout(this.typing);
        for (const s of [...subscriptions, pick]) s.dispose();
      }),
    ];
    void this.load();
    pick.show();
  }

  private async load(): Promise<void> {
    const pick = this.pick;
    pick.busy = true;
    const asked = ++this.loads;
    const query = pick.value.trim();
    const { client } = this.model;
    const filtered = Object.keys(this.filter).length > 0;
    const [listed, found] = await Promise.all([
      client.ask('handrail/lessons', this.filter),
      query
        ? client.ask('handrail/retrieve', { query, limit: filtered ? 10 * most : most, all: this.all || this.acted.size > 0 })
        : undefined,
    ]);
    if (asked !== this.loads) return; // a later one is on its way
    const cards = (listed ?? []).filter((c) => this.all || c.status === 'active' || this.acted.has(c.path));
    const hits = found ? foundItems(found, cards, filtered).slice(0, most) : [];
    const rest = cards.filter((c) => !hits.some((h) => h.path === c.path));
    const active = pick.activeItems[0];
    const served = this.model.footer?.lessons.map((h) => h.path) ?? [];
    pick.items = [
      ...hits.map(({ card, detail, path, title }) =>
        card
          ? { ...this.item(card), detail, alwaysShow: true }
          : { label: title, description: vscode.l10n.t('note'), detail, path, alwaysShow: true, buttons: [this.buttons.edit] },
      ),
      ...groups(rest, served, this.model.projectOf()).flatMap((g) => [
        { label: g.label, kind: vscode.QuickPickItemKind.Separator },
        ...g.cards.map((c) => this.item(c)),
      ]),
    ];
    const again = pick.items.find((i) => 'path' in i && active && 'path' in active && i.path === active.path);
    if (again) pick.activeItems = [again];
    pick.title = [vscode.l10n.t('Handrail Lessons'), ...this.filterNames()].join(' · ');
    pick.busy = false;
  }

  private item(c: Card): CardItem {
    const toggle = {
      active: [this.buttons.away],
      archived: [this.buttons.restore],
      draft: [],
      quarantined: [this.buttons.restore],
      conflicted: [],
    }[c.status];
    return {
      label: c.title,
      description: summary(c),
      detail: [c.quarantine, c.tags.join(', '), c.project].filter(Boolean).join(' · '),
      path: c.path,
      buttons: [this.buttons.why, this.buttons.edit, ...toggle, this.buttons.delete],
    };
  }

  private async act(button: vscode.QuickInputButton, item: vscode.QuickPickItem): Promise<void> {
    if (!('path' in item)) return;
    const { path } = item as CardItem;
    if (button === this.buttons.edit) {
      this.pick.hide();
      await this.actions.open(path);
    } else if (button === this.buttons.why) {
      const query = this.pick.value.trim();
      this.pick.hide();
      await vscode.commands.executeCommand('handrail.lesson.why', path, query || undefined);
    } else if (button === this.buttons.delete) {
      await this.aside(() => this.actions.delete(path));
    } else {
      this.acted.add(path);
      await this.model.client.ask(button === this.buttons.away ? 'handrail/archive' : 'handrail/restore', { path });
    }
  }

  private async narrow(button: vscode.QuickInputButton): Promise<void> {
    if (button === this.filters.add) {
      this.pick.hide();
      await vscode.commands.executeCommand('handrail.lesson.create');
      return;
    }
    if (button === this.filters.all) {
      this.all = !this.all;
      await this.load();
      return;
    }
    const everything = vscode.l10n.t('All');
    const choose = async (key: keyof Filter, values: Record<string, string>) => {
      const entries = Object.entries(values);
      const labels = [everything, ...entries.map(([, label]) => label)];
      const chosen = await vscode.window.showQuickPick(labels, { title: button.tooltip ?? '' });
      if (chosen === undefined) return; // the filter stays as it is
      Reflect.deleteProperty(this.filter, key);
      const value = entries.find(([, label]) => label === chosen)?.[0];
      if (value !== undefined) Object.assign(this.filter, { [key]: value });
    };
    await this.aside(async () => {
      if (button === this.filters.scope) await choose('scope', scopes());
      else if (button === this.filters.kind) await choose('kind', kinds(this.model.cards));
      else await choose('source', sources());
    });
    await this.load();
  }

  /** Lets something else have the focus, and comes back with the list as it was. */
  private async aside(task: () => Promise<unknown>): Promise<void> {
    this.pick.ignoreFocusOut = true;
    try {
      await task();
    } finally {
      this.pick.show();
      this.pick.ignoreFocusOut = false;
    }
  }

  private filterNames(): string[] {
    const { scope, kind, source } = this.filter;
    const all = this.all && vscode.l10n.t('active or not');
    return [all, scope && scopes()[scope as 'today' | 'week'], kind && kindName(kind), source && sources()[source]].filter(
      (x) => !!x,
    ) as string[];
  }
}

const scopes = (): Record<'today' | 'week', string> => ({ today: vscode.l10n.t('Seen today'), week: vscode.l10n.t('Seen this week') });
const sources = (): Record<Source, string> => ({ curated: vscode.l10n.t('Written by people'), auto: vscode.l10n.t('From candidates') });
const kinds = (cards: readonly Card[]) =>
  Object.fromEntries([...new Set(cards.map((c) => c.kind))].map((k) => [k, kindName(k)])) as Record<Kind, string>;
