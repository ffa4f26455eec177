import type { Workbench } from './workbench';

export interface Answer {
  /** Name of who answered. */
  from: string;
  /** The rendered markdown, as text. */
  text: string;
  /** Labels of the references, when there are any. */
  references: string[];
  /** Captions of the buttons. */
  buttons: string[];
  /** Targets of the links in the text. */
  links: string[];
  /** What the answer was refused with, '' when all went well. */
  error: string;
}

/** The chat view, with the fake model. */
export class Chat {
  constructor(private readonly wb: Workbench) {}

  private get view() {
    return this.wb.page.locator('.interactive-session');
  }
  private get responses() {
    return this.view.locator('.interactive-response');
  }

  /** Opens the chat view and waits for the model: a message sent before it is known is refused. */
  async open(): Promise<void> {
    const input = this.view.locator('.interactive-input-part');
    if (!(await input.isVisible())) await this.wb.run('Chat: Open Chat');
    await input.getByText('Fake Model').first().waitFor({ timeout: 30_000 });
  }

  /** Sends a message, waits for the whole answer, and reads it. */
  async ask(message: string): Promise<Answer> {
    // The list keeps only the rows in sight, so a row is told by its index: the question comes next, its answer after it.
    const rows = this.view.locator('.interactive-list .monaco-list-row');
    const before = await rows.evaluateAll((rs) => Math.max(-1, ...rs.map((r) => Number(r.getAttribute('data-index')))));
    await this.type(message);
    await this.wb.page.keyboard.press('Enter');
    const response = this.view.locator(`.interactive-list .monaco-list-row[data-index="${before + 2}"] .interactive-response`);
    await response.waitFor({ timeout: 30_000 });
    // The footer with the time of completion comes when the answer is complete.
    await response.locator('.chat-response-completed-at, .chat-notification-widget').first().waitFor({ timeout: 30_000 });
    return this.last();
  }

  /** Writes into the input without sending. */
  async type(message: string): Promise<void> {
    const editor = this.view.locator('.interactive-input-part .monaco-editor').first();
    await editor.click();
    await this.wb.page.keyboard.press('Control+a');
    await this.wb.page.keyboard.insertText(message);
  }

  /** The newest answer. */
  async last(): Promise<Answer> {
    const response = this.responses.last();
    // References are folded twice, and the list is made when it is unfolded.
    const steps = response.locator('.completed-response-disclosure:not([open]) > summary');
    if (await steps.count()) await steps.dispatchEvent('click'); // the request sticks to the top and may lie over it
    const used = response.locator('.chat-used-context-label a[aria-expanded="false"]').filter({ visible: true });
    if (await used.count()) {
      await used.first().click();
      await response.locator('.chat-used-context-list .monaco-list-row').first().waitFor();
    }
    return response.evaluate((r) => {
      const texts = (selector: string) => [...r.querySelectorAll<HTMLElement>(selector)].map((e) => e.innerText.trim()).filter(Boolean);
      return {
        from: texts('.username')[0] ?? '',
        text: texts('.value .chat-markdown-part').join('\n'),
        references: texts('.chat-used-context-list .label-name'),
        buttons: texts('.chat-command-button .monaco-button'),
        links: [...r.querySelectorAll('.value .chat-markdown-part a')].map((a) => a.getAttribute('data-href') ?? ''),
        error: texts('.chat-notification-widget')[0] ?? '',
      };
    });
  }

  /** Clicks a button of the newest answer. */
  async click(button: string): Promise<void> {
    await this.responses.last().locator('.chat-command-button .monaco-button').getByText(button, { exact: true }).click();
  }

  /** Clicks a link of the newest answer. */
  async link(text: string): Promise<void> {
    await this.responses.last().locator('.value .chat-markdown-part a').getByText(text, { exact: true }).click();
  }

  /** The suggested questions under the newest answer. */
  async followups(): Promise<string[]> {
    return this.view.locator('.interactive-session-followups .monaco-button').allInnerTexts();
  }
}
