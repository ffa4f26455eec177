// The list of cards to search and manage from the keyboard; what is typed is looked for in the text of cards and notes too.

import * as vscode from 'vscode';
import type { Actions } from './actions';
import { group } from './ask';
import type { Model } from './model';
import type { Card, Hit, Retrieved } from './protocol.gen';
import { isAway, passage, summary } from './text';

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
const pause = 50;

/** How many hits a search shows. */
const most = 20;

interface CardItem extends vscode.QuickPickItem {
  path: string;
}

/** What a search found of the listed cards and of notes, with the passage; VS Code's own filter leaves it in. */
export function foundItems(found: Retrieved, cards: readonly Card[]): (Hit & { card?: Card; detail: string })[] {
  return [...found.lessons, ...found.notes].flatMap((hit) => {
    const card = cards.find((c) => c.path === hit.path);
    if (!card && hit.kind !== '') return [];
    return [{ ...hit, ...(card && { card }), detail: passage(hit.excerpt) }];
  });
}

/** The picker while it is open; closes and disposes itself. */
export class Picker {
  private readonly pick = vscode.window.createQuickPick<CardItem | vscode.QuickPickItem>();
  private loads = 0;
  private readonly acted = new Set<string>(); // stay in the list whatever became of them
  private typing: NodeJS.Timeout | undefined;
  private readonly buttons = {
    edit: { iconPath: new vscode.ThemeIcon('edit'), tooltip: vscode.l10n.t('Edit') },
    away: { iconPath: new vscode.ThemeIcon('archive'), tooltip: vscode.l10n.t('Put away') },
    restore: { iconPath: new vscode.ThemeIcon('eye'), tooltip: vscode.l10n.t('Use again') },
    why: { iconPath: new vscode.ThemeIcon('question'), tooltip: vscode.l10n.t('Why this card?') },
    delete: { iconPath: new vscode.ThemeIcon('trash'), tooltip: vscode.l10n.t('Delete') },
  };

  constructor(
    private readonly model: Model,
    private readonly actions: Actions,
  ) {
    const pick = this.pick;
    pick.title = vscode.l10n.t('Handrail Lessons');
    pick.placeholder = vscode.l10n.t('Search the text of lessons and notes');
    pick.matchOnDescription = pick.matchOnDetail = true;
    pick.keepScrollPosition = true;
    const subscriptions = [
      model.onDidChange(() => void this.load()),
      pick.onDidChangeValue(() => {
        clearTimeout(this.typing);
        pick.busy = true;
        this.typing = setTimeout(() => void this.load(), pause);
      }),
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
    const { cards, client } = this.model;
    const found = query ? await client.ask('handrail/retrieve', { query, limit: most, all: true }) : undefined;
    if (asked !== this.loads) return; // a later one is on its way
    const hits = found ? foundItems(found, cards).slice(0, most) : [];
    const rest = cards.filter((c) => (!isAway(c) || this.acted.has(c.path)) && !hits.some((h) => h.path === c.path));
    const active = pick.activeItems[0];
    const served = this.model.footer?.lessons.map((h) => h.path) ?? [];
    pick.items = [
      ...hits.map(({ card, detail, path, title }) =>
        card
          ? { ...this.item(card), detail, alwaysShow: true }
          : { label: title, description: vscode.l10n.t('note'), detail, path, alwaysShow: true, buttons: [this.buttons.edit] },
      ),
      ...groups(rest, served, this.model.projectOf()).flatMap((g) =>
        group(
          g.label,
          g.cards.map((c) => this.item(c)),
        ),
      ),
    ];
    const again = pick.items.find((i) => 'path' in i && active && 'path' in active && i.path === active.path);
    if (again) pick.activeItems = [again];
    pick.busy = false;
  }

  private item(c: Card): CardItem {
    const toggle = isAway(c) ? [this.buttons.restore] : c.status === 'active' ? [this.buttons.away] : [];
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
      this.pick.ignoreFocusOut = true;
      await this.actions.delete(path).finally(() => this.pick.show());
      this.pick.ignoreFocusOut = false;
    } else {
      this.acted.add(path);
      await this.model.client.ask(button === this.buttons.away ? 'handrail/archive' : 'handrail/restore', { path });
    }
  }
}
