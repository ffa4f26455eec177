import type { Locator, Page } from 'playwright-core';
import { readRows } from './list';
import { until } from './until';

export interface Row {
  label: string;
  description: string;
  level: number;
  /** Absent for a row without children. */
  expanded?: boolean;
  /** What a screen reader says. */
  aria: string;
  icon: string;
}

/** A tree view in a side bar or the panel. Open its container first: `wb.activity('Handrail').open()`. */
export class View {
  constructor(
    private readonly page: Page,
    private readonly title: string,
  ) {}

  private get pane(): Locator {
    return this.page
      .locator('.pane')
      .filter({ has: this.page.locator('.pane-header h3.title').getByText(new RegExp(`^${this.title}( · .*)?$`)) });
  }
  /** What has the view's actions: the container's title, where the view is alone in it. */
  private async head(): Promise<Locator> {
    const header = this.pane.locator('.pane-header');
    return (await header.isVisible()) ? header : this.page.locator('.part.sidebar .composite.title');
  }
  /** The view's title. */
  async heading(): Promise<string> {
    return (await this.pane.locator('.pane-header h3.title').textContent()) ?? '';
  }
  private get tree(): Locator {
    return this.pane.locator('.monaco-list[role="tree"]');
  }

  /** Opens the view's section when it is closed. */
  async open(): Promise<void> {
    const header = this.pane.locator('.pane-header');
    await header.waitFor({ state: 'attached' });
    if ((await header.getAttribute('aria-expanded')) === 'false') await header.click();
  }

  /** The rows as they stand, from top to bottom; children follow their parent. */
  async rows(): Promise<Row[]> {
    if ((await this.tree.count()) === 0 || !(await this.tree.isVisible())) return [];
    return readRows<Row>(this.tree, (rows) =>
      rows.map((row) => {
        const text = (selector: string) => row.querySelector<HTMLElement>(selector)?.innerText.trim() ?? '';
        const expanded = row.getAttribute('aria-expanded');
        const icon = row.querySelector('.custom-view-tree-node-item-icon');
        return {
          index: Number(row.getAttribute('data-index')),
          value: {
            label: text('.label-name'),
            description: text('.label-description'),
            level: Number(row.getAttribute('aria-level')),
            ...(expanded === null ? {} : { expanded: expanded === 'true' }),
            aria: row.getAttribute('aria-label') ?? '',
            icon: /codicon-([\w-]+)/.exec(icon?.className ?? '')?.[1] ?? '',
          },
        };
      }),
    );
  }

  /** Only the labels. */
  async labels(): Promise<string[]> {
    return (await this.rows()).map((r) => r.label);
  }

  /** The welcome text and its buttons, of a view without rows. */
  async welcome(): Promise<{ text: string; buttons: string[] }> {
    const welcome = this.pane.locator('.welcome-view-content');
    if (!(await welcome.isVisible())) return { text: '', buttons: [] };
    return { text: (await welcome.innerText()).trim(), buttons: await welcome.locator('.monaco-button').allInnerTexts() };
  }
  async clickWelcome(button: string): Promise<void> {
    await this.pane.locator('.welcome-view-content .monaco-button').getByText(button, { exact: true }).click();
  }
  /** The line that an extension puts above the rows. */
  async message(): Promise<string> {
    const message = this.pane.locator('.tree-explorer-viewlet-tree-view > .message:not(.hide)');
    return (await message.isVisible()) ? (await message.innerText()).trim() : '';
  }

  private row(label: string): Locator {
    return this.tree
      .locator('.monaco-list-row')
      .filter({ has: this.page.locator('.label-name').getByText(label, { exact: true }) })
      .first();
  }

  async click(label: string, key?: 'Shift' | 'Control'): Promise<void> {
    await this.row(label)
      .locator('.label-name')
      .click(key ? { modifiers: [key] } : {});
  }

  /** What stands beside the title. */
  description(): Promise<string> {
    return this.pane.locator('.pane-header .description').innerText();
  }

  /** Chooses from the menu behind the dots of the view's title. */
  async moreAction(title: string): Promise<void> {
    const items = this.page.locator('.monaco-menu-container .action-item');
    const more = 'a.action-label[aria-label="Views and More Actions..."], a.action-label[aria-label^="More Actions"]';
    const item = items.filter({ has: this.page.getByText(title, { exact: true }) });
    const find = async () => {
      const head = await this.head();
      await head.hover();
      if (!(await item.isVisible())) await head.locator(more).click();
      await item.hover({ timeout: 1_000 });
      await item.and(this.page.locator('.focused')).waitFor({ timeout: 1_000 });
      return true;
    };
    await until(() => find().catch(() => false), title); // a title that is drawn anew closes its menu
    await this.page.keyboard.press('Enter');
    await items.first().waitFor({ state: 'hidden' });
  }

  async expand(label: string): Promise<void> {
    const row = this.row(label);
    await row.waitFor();
    if ((await row.getAttribute('aria-expanded')) === 'true') return;
    await row.locator('.monaco-tl-twistie').click();
    await this.tree
      .locator('.monaco-list-row[aria-expanded="true"]')
      .filter({ has: this.page.locator('.label-name').getByText(label, { exact: true }) })
      .first()
      .waitFor();
  }

  async check(label: string): Promise<void> {
    await this.row(label).locator('.custom-view-tree-node-item-checkbox').click();
  }

  /** Text of the hover of a row. */
  async tooltip(label: string): Promise<string> {
    await this.row(label).locator('.label-name').hover();
    const hover = this.page.locator('.monaco-hover:visible .hover-contents').first();
    await hover.waitFor();
    const text = (await hover.innerText()).trim();
    await this.page.mouse.move(640, 300);
    await hover.waitFor({ state: 'hidden' });
    return text;
  }

  /** Clicks an action that shows on the row itself, by its title. */
  async inlineAction(label: string, title: string): Promise<void> {
    await this.row(label).hover();
    await this.row(label).locator(`.actions a.action-label[aria-label="${title}"]`).click();
  }

  /** What the context menu of a row offers. */
  async menu(label: string): Promise<string[]> {
    const menu = await this.openMenu(label);
    const titles = await menu.locator('.action-menu-item .action-label').allInnerTexts();
    await this.page.keyboard.press('Escape');
    await menu.waitFor({ state: 'hidden' });
    return titles;
  }

  /** Takes an action of the context menu of a row. */
  async menuAction(label: string, title: string): Promise<void> {
    const menu = this.page.locator('.monaco-menu-container');
    // A menu takes no click in its first moments, so that the click that opened it does not choose. It takes keys.
    const item = menu.locator('.action-item').filter({ has: this.page.getByText(title, { exact: true }) });
    const find = async () => {
      if (!(await item.isVisible())) {
        if (await menu.isVisible()) await this.page.keyboard.press('Escape'); // opened on what the row was before
        await this.openMenu(label);
      }
      await item.hover({ timeout: 1_000 });
      await item.and(this.page.locator('.focused')).waitFor({ timeout: 1_000 });
      return true;
    };
    await until(() => find().catch(() => false), title); // a row that is drawn anew closes its menu
    await this.page.keyboard.press('Enter');
    await menu.waitFor({ state: 'hidden' });
  }

  private async openMenu(label: string): Promise<Locator> {
    await this.row(label).locator('.label-name').click({ button: 'right' });
    const menu = this.page.locator('.monaco-menu-container');
    await menu.locator('.action-menu-item').first().waitFor();
    return menu;
  }

  /** Clicks an action in the title of the view. */
  async titleAction(title: string): Promise<void> {
    const head = await this.head();
    await head.hover();
    await head.locator(`a.action-label[aria-label="${title}"]`).first().click();
  }
}
