import type { Locator } from 'playwright-core';
import type { Workbench } from './workbench';

/** The integrated terminal that was opened last. */
export class Terminal {
  private constructor(
    private readonly wb: Workbench,
    private readonly screen: Locator,
  ) {}

  static async open(wb: Workbench): Promise<Terminal> {
    await wb.run('Terminal: Create New Terminal');
    const screen = wb.page.locator('.terminal-wrapper.active');
    const terminal = new Terminal(wb, screen);
    await terminal.ready(1);
    return terminal;
  }

  /**
   * Types a command and waits until the shell is ready for the next one. Shell integration marks each prompt with a
   * decoration, which is how the end of a command shows.
   */
  async run(command: string): Promise<void> {
    const before = await this.prompts().count();
    await this.screen.locator('textarea').focus();
    await this.wb.page.keyboard.insertText(command);
    await this.wb.page.keyboard.press('Enter');
    await this.ready(before + 1);
  }

  /** What is on screen. */
  async text(): Promise<string> {
    const rows = await this.screen.locator('.xterm-rows > div').allInnerTexts();
    return rows.join('\n').replaceAll('\u00a0', ' ').trimEnd();
  }

  async kill(): Promise<void> {
    await this.wb.run('Terminal: Kill the Active Terminal Instance');
  }

  private prompts(): Locator {
    return this.screen.locator('.terminal-command-decoration');
  }

  private async ready(prompts: number): Promise<void> {
    await this.prompts()
      .nth(prompts - 1)
      .waitFor({ state: 'attached', timeout: 60_000 });
  }
}
