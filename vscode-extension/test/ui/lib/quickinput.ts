import type { Page } from 'playwright-core';
import { readRows } from './list';

export interface Item {
  label: string;
  description: string;
  detail: string;
  /** The group that starts at this item: the text of the separator above it. */
  group: string;
  /** Tooltips of the buttons. */
  buttons: string[];
  /** Of pickers that take several. */
  checked?: boolean;
}

/** The quick pick or input box on screen. */
export class QuickInput {
  constructor(private readonly page: Page) {}

  private get widget() {
    return this.page.locator('.quick-input-widget');
  }
  private get input() {
    return this.widget.locator('.quick-input-box input');
  }
  private get list() {
    return this.widget.locator('.quick-input-list .monaco-list');
  }

  /** Waits until one is open, with this title or placeholder or prompt when given. */
  async opened(text?: string, timeout?: number): Promise<void> {
    await this.widget.locator(':focus').waitFor({ state: 'attached', timeout }); // it shows before it takes keys
    if (text === undefined) return;
    const title = this.widget.locator('.quick-input-title', { hasText: text });
    const prompt = this.widget.locator('.quick-input-message', { hasText: text });
    await title.or(prompt).or(this.widget.getByPlaceholder(text)).filter({ visible: true }).first().waitFor();
  }

  async title(): Promise<string> {
    return (await this.widget.locator('.quick-input-title').isVisible()) ? this.widget.locator('.quick-input-title').innerText() : '';
  }
  async placeholder(): Promise<string> {
    return (await this.input.getAttribute('placeholder')) ?? '';
  }
  async value(): Promise<string> {
    return this.input.inputValue();
  }
  /** The line under the input: prompt, or what is wrong with the value. */
  async message(): Promise<string> {
    const message = this.widget.locator('.quick-input-message');
    return (await message.isVisible()) ? (await message.innerText()).trim() : '';
  }

  /** Replaces the text of an input that is open. It may close when something else takes the focus. */
  async fill(text: string): Promise<void> {
    await this.input.fill(text, { timeout: 1_500 });
  }

  /** Replaces the text of the input. */
  async type(text: string): Promise<void> {
    await this.input.fill(text);
    if (await this.list.isVisible()) await this.settled();
  }

  /** Waits until the list has stopped changing: it shows a row and has no progress bar. */
  async settled(): Promise<void> {
    await this.widget.locator('.quick-input-progress.active').waitFor({ state: 'detached' });
    await this.list.locator('.monaco-list-row').first().waitFor();
  }

  /** All items that the filter lets through. */
  async items(): Promise<Item[]> {
    await this.widget.waitFor();
    return readRows<Item>(this.list, (rows) =>
      rows.map((row) => {
        const text = (selector: string) => row.querySelector<HTMLElement>(selector)?.innerText.trim() ?? '';
        const separator = row.querySelector<HTMLElement>('.quick-input-list-separator'); // a row used before keeps its text, hidden
        const box = row.querySelector('.quick-input-list-checkbox, .monaco-checkbox');
        return {
          index: Number(row.getAttribute('data-index')),
          value: {
            label: text('.quick-input-list-row:first-child .label-name'),
            description: text('.quick-input-list-row:first-child .label-description'),
            detail: text('.quick-input-list-label-meta .label-name'),
            group: separator?.checkVisibility() ? separator.innerText.trim() : '',
            buttons: [...row.querySelectorAll('.quick-input-list-entry-action-bar a.action-label')].map(
              (a) => a.getAttribute('aria-label') ?? '',
            ),
            ...(box?.checkVisibility() ? { checked: box.getAttribute('aria-checked') === 'true' } : {}),
          },
        };
      }),
    );
  }

  /** Tooltips of the buttons in the title. */
  async buttons(): Promise<string[]> {
    const all = this.widget.locator('.quick-input-titlebar a.action-label, .quick-input-inline-action-bar a.action-label');
    return all.evaluateAll((as) => as.map((a) => a.getAttribute('aria-label') ?? ''));
  }
  async clickButton(tooltip: string): Promise<void> {
    await this.widget
      .locator('.quick-input-titlebar a.action-label, .quick-input-inline-action-bar a.action-label')
      .and(this.page.locator(`[aria-label="${tooltip}"]`))
      .click();
  }

  private async row(label: string) {
    const row = this.list.locator('.monaco-list-row').filter({
      has: this.page.locator('.quick-input-list-row:first-child .label-name').getByText(label, { exact: true }),
    });
    await this.widget.waitFor();
    await this.settled();
    if ((await row.count()) === 0) {
      await this.input.fill(label); // out of sight: let the filter bring it up
      await this.settled(); // what the server finds takes the rows' place
    }
    await row.first().waitFor();
    return row.first();
  }

  /** Takes the item with this label. */
  async pick(label: string): Promise<void> {
    await (await this.row(label)).locator('.label-name').first().click();
  }

  /** Ticks or unticks the item with this label, in a picker that takes several. */
  async check(label: string): Promise<void> {
    await (await this.row(label)).locator('.quick-input-list-checkbox, .monaco-checkbox').first().click();
  }

  /** Clicks a button of the item with this label, by its tooltip. */
  async clickItemButton(label: string, tooltip: string): Promise<void> {
    const row = await this.row(label);
    await row.hover();
    await row.locator(`.quick-input-list-entry-action-bar a.action-label[aria-label="${tooltip}"]`).click();
  }

  async accept(): Promise<void> {
    await this.input.press('Enter');
  }

  async isOpen(): Promise<boolean> {
    return this.widget.isVisible();
  }
  async hide(): Promise<void> {
    if (await this.widget.isVisible()) await this.page.keyboard.press('Escape');
    await this.widget.waitFor({ state: 'hidden' });
  }
}
