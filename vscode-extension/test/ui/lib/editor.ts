import type { Page } from 'playwright-core';
import type { Workbench } from './workbench';
import { until } from './until';

/** The editor that has the focus or had it last. */
export class Editor {
  constructor(private readonly wb: Workbench) {}

  private get page(): Page {
    return this.wb.page;
  }
  private get group() {
    return this.page.locator('.part.editor .editor-group-container.active');
  }

  /** Opens a file of the workspace. */
  async open(file: string): Promise<void> {
    await this.page.keyboard.press('Control+p');
    await this.wb.quickInput.opened();
    await this.wb.quickInput.fill(file);
    const name = file.split('/').at(-1)!;
    await this.page.locator(`.quick-input-list .monaco-list-row[aria-label^="${name}"]`).first().waitFor();
    await this.page.keyboard.press('Enter');
    await this.opened(name);
  }

  /** Waits until a file of this name is the active editor. */
  async opened(name: string): Promise<void> {
    await this.group.locator(`.tab.active[data-resource-name="${name}"]`).waitFor();
    await this.group.locator('.editor-instance .view-line').first().waitFor();
  }

  /** Name on the active tab, '' when no editor is open. */
  async title(): Promise<string> {
    const tab = this.group.locator('.tab.active');
    return (await tab.count()) ? ((await tab.getAttribute('data-resource-name')) ?? '') : '';
  }

  /** True when it has changes that are not saved. */
  async dirty(): Promise<boolean> {
    return (await this.group.locator('.tab.active.dirty').count()) > 0;
  }

  /** The lines in sight. (A longer file is better read from disk after `save`.) */
  async text(): Promise<string> {
    const lines = await this.group.locator('.editor-instance .view-lines .view-line').evaluateAll((ls) =>
      ls
        .map((l) => ({ top: parseFloat((l as HTMLElement).style.top), text: l.textContent ?? '' }))
        .sort((a, b) => a.top - b.top)
        .map((l) => l.text),
    );
    return lines.join('\n').replaceAll('\u00a0', ' ');
  }

  /** Where the cursor is, counted from 1. */
  async position(): Promise<{ line: number; column: number }> {
    const text = await this.page.locator('[id="status.editor.selection"]').innerText();
    const [, line, column] = /Ln (\d+), Col (\d+)/.exec(text) ?? [];
    return { line: Number(line), column: Number(column) };
  }

  /** Waits until words of a line are selected, to be written over. */
  async selected(): Promise<void> {
    await this.page
      .locator('[id="status.editor.selection"]')
      .getByText(/Col (?!1 )\d+ \(\d+ selected\)/)
      .waitFor();
  }

  async goTo(line: number, column = 1): Promise<void> {
    const there = this.page.locator('[id="status.editor.selection"]').getByText(`Ln ${line}, Col ${column}`, { exact: true });
    for (let tries = 4; ; tries--) {
      await this.page.keyboard.press('Control+g');
      try {
        await this.wb.quickInput.opened(undefined, 5_000);
        await this.wb.quickInput.fill(`:${line}:${column}`);
        await this.page.keyboard.press('Enter');
        return await there.waitFor({ timeout: 5_000 });
      } catch (err) {
        if (tries === 1) throw err; // something else took the focus
        await this.wb.quickInput.hide();
      }
    }
  }

  async focus(): Promise<void> {
    await this.group.locator('.editor-instance .view-lines').click();
  }

  /** Types at the cursor key by key, as a person does: completion and auto-closing take part. */
  async type(text: string): Promise<void> {
    await this.page.keyboard.type(text);
    await this.changed();
  }
  /** Puts text at the cursor in one go. */
  async insert(text: string): Promise<void> {
    await this.page.keyboard.insertText(text);
    await this.changed();
  }
  private changed(): Promise<void> {
    return this.group.locator('.tab.active.dirty').waitFor();
  }

  async save(): Promise<void> {
    await this.page.keyboard.press('Control+s');
    await this.group.locator('.tab.active:not(.dirty)').waitFor();
  }

  /**
   * Saves until that had its effect, as a person does. VS Code waits 1.75 s for the edits that go into a save and saves
   * without them then, which a busy machine takes.
   */
  async saveUntil(done: () => boolean, what: string): Promise<void> {
    for (let tries = 3; !done() && tries > 0; tries--) {
      await this.page.keyboard.press('Control+s');
      await until(done, what, 10_000).catch((err: unknown) => {
        if (tries === 1) throw err;
      });
    }
  }

  /** The severities of the squiggles in sight: 'error', 'warning', 'info', 'hint'. */
  async squiggles(): Promise<string[]> {
    return this.group
      .locator('.view-overlays [class*="squiggly-"]')
      .evaluateAll((es) => es.map((e) => /squiggly-(\w+)/.exec(e.className)![1]));
  }

  /** Texts of the code lenses in sight. */
  async codeLenses(): Promise<string[]> {
    return (await this.group.locator('.codelens-decoration').allInnerTexts()).map((t) => t.trim()).filter(Boolean);
  }
  async clickCodeLens(text: string): Promise<void> {
    await this.group.locator('.codelens-decoration a').getByText(text).first().click();
  }

  /** The hover at the cursor. Problems come first and what a language server says later: read it with `expect.poll`. */
  async hover(): Promise<string> {
    await this.wb.run('Show or Focus Hover');
    const hover = this.page.locator('.monaco-resizable-hover:visible .hover-contents, .monaco-hover:visible .hover-contents');
    await hover.first().waitFor();
    const text = (await hover.allInnerTexts()).map((t) => t.trim()).join('\n');
    await this.page.keyboard.press('Escape');
    return text;
  }

  /** What completion offers at the cursor. The list stays open: Enter takes the first, Escape closes it. */
  async completions(): Promise<string[]> {
    await this.page.keyboard.press('Control+Space');
    const rows = this.page.locator('.suggest-widget.visible .monaco-list-row');
    await rows.first().waitFor();
    return rows.locator('.label-name').allInnerTexts();
  }

  /** What the light bulb offers at the cursor. */
  async codeActions(): Promise<string[]> {
    const menu = this.page.locator('.action-widget');
    for (let tries = 4; ; tries--) {
      await this.page.keyboard.press('Control+.');
      try {
        await menu.locator('.monaco-list-row').first().waitFor({ timeout: 5_000 });
        break;
      } catch (err) {
        if (tries === 1) throw err; // something else took the focus, or the actions came late
        await this.page.keyboard.press('Escape');
      }
    }
    return menu.locator('.monaco-list-row.action .title').allInnerTexts();
  }
  /** Takes one of them. */
  async codeAction(title: string): Promise<void> {
    await this.codeActions();
    await this.page.locator('.action-widget .monaco-list-row.action .title').getByText(title, { exact: true }).click();
  }
}
