// A real VS Code under the control of a test.
//
// A test file starts one and uses it for all of its tests (see vitest.ts):
//
//   const wb = useWorkbench({ workspace: 'testdata/brains/demo', extensions: ['handrail.vsix'] });
//
//   test('lists the cards', async () => {
//     await wb.run('Handrail: Manage Lessons');
//     expect(await wb.quickInput.items()).toContainEqual(expect.objectContaining({ label: 'Check the lock' }));
//   });
//
// All that it touches is in one folder in the system's temporary directory: a copy of the workspace, user data,
// extensions, and a home directory, so nothing of the person who runs the tests is read or written. Workbenches of the
// same kind use one VS Code after the other, each with files and processes of its own (see host.ts).
//
// Methods that act return when the interface shows that the action was taken up, never after a fixed time. What an
// extension does in answer comes later: read it with `await expect.poll(() => view.rows()).toEqual(…)`.
// What is not covered here can be had from `wb.page`, which is a page of Playwright.

import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { type FrameLocator, type Locator, type Page } from 'playwright-core';
import { Chat } from './chat';
import { Editor } from './editor';
import { hostOf, type Host } from './host';
import { readRows } from './list';
import { QuickInput } from './quickinput';
import { Terminal } from './terminal';
import { until } from './until';
import { View } from './view';

export interface Options {
  /** Folder that is copied and opened; or the files of a new one, by path. */
  workspace: string | Record<string, string>;
  /** Files ending in .vsix, or folders of extensions that need no build. */
  extensions?: string[];
  /** User settings on top of the quiet ones below. */
  settings?: Record<string, unknown>;
  /** 'ko' makes `vscode.env.language` Korean; VS Code's own words stay English. */
  locale?: 'en' | 'ko';
  /** 'restricted' opens the folder as one that the person has not trusted yet. */
  trust?: 'trusted' | 'restricted';
  /** Gives the chat a language model, see fixtures/fake-model. Without it there is none. */
  model?: boolean;
  /** The file of the workspace that is opened instead of its folder: a window of several folders. */
  window?: string;
  /** Makes the workspace a git repository with one commit. */
  git?: boolean;
}

/** Themes by what the pictures call them, with the class that the window has in them. */
export const themes = {
  light: { name: 'Light Modern', style: 'vs' },
  dark: { name: 'Dark Modern', style: 'vs-dark' },
  contrast: { name: 'Default High Contrast', style: 'hc-black' },
  'contrast-light': { name: 'Default High Contrast Light', style: 'hc-light' },
};

export const output = process.env.HANDRAIL_UI_OUTPUT ?? path.join(import.meta.dirname, '..', 'out');

/** Where pictures go; none are taken without HANDRAIL_SCREENSHOTS, which names it, or HANDRAIL_LOOKS. */
export const pictures = process.env.HANDRAIL_SCREENSHOTS ?? (process.env.HANDRAIL_LOOKS && path.join(output, 'screenshots'));

const quiet = {
  'chat.tips.enabled': false,
  'editor.minimap.enabled': false,
  'editor.cursorBlinking': 'solid',
  'editor.fontFamily': 'DejaVu Sans Mono, Noto Sans CJK KR, monospace',
  'extensions.autoCheckUpdates': false,
  'extensions.autoUpdate': 'off',
  'extensions.ignoreRecommendations': true,
  'files.autoSave': 'off', // in a browser it is on
  'files.simpleDialog.enable': true,
  'git.openRepositoryInParentFolders': 'never',
  'remote.autoForwardPorts': false, // no toast of code-server's over ours
  'security.workspace.trust.banner': 'always',
  'security.workspace.trust.startupPrompt': 'never',
  'telemetry.telemetryLevel': 'off',
  'terminal.integrated.defaultProfile.linux': 'bash',
  'terminal.integrated.gpuAcceleration': 'off', // text in the DOM instead of on a canvas
  'terminal.integrated.initialHint': false,
  'update.showReleaseNotes': false,
  'window.commandCenter': false,
  'workbench.colorTheme': 'Light Modern',
  'workbench.enableExperiments': false,
  'workbench.layoutControl.enabled': false,
  'workbench.reduceMotion': 'on',
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'workbench.startupEditor': 'none',
  'workbench.tips.enabled': false,
};

export class Workbench {
  /** Everything of this run. */
  readonly dir: string;
  /** The copy of the workspace that is open. */
  readonly workspace: string;
  page!: Page;
  readonly console: string[] = [];

  private constructor(
    readonly options: Options,
    private readonly host: Host,
  ) {
    this.dir = host.dir;
    fs.mkdirSync(path.join(this.dir, 'workspaces'));
    this.workspace = path.join(fs.mkdtempSync(path.join(this.dir, 'workspaces', '-')), 'workspace');
  }

  static async launch(options: Options): Promise<Workbench> {
    const start = performance.now();
    const host = await hostOf({ extensions: options.extensions ?? [], locale: options.locale ?? 'en' });
    const wb = new Workbench(options, host);
    const up = performance.now();
    try {
      wb.prepare();
      await wb.open();
    } catch (err) {
      const seen = await wb.evidence('launch');
      await host.close();
      throw new Error(`VS Code did not start, see ${seen}`, { cause: err });
    }
    const seconds = (from: number, to: number) => ((to - from) / 1000).toFixed(1);
    console.log(`VS Code is up after ${seconds(start, performance.now())} s, its window after ${seconds(up, performance.now())} s`);
    return wb;
  }

  // ---- what a test does ----

  /** Runs a command by its full title, as a person would: F1, title, Enter. Fails when the palette does not offer it. */
  async run(title: string): Promise<void> {
    const row = this.page.locator('.quick-input-list .monaco-list-row').filter({
      has: this.page.locator('.quick-input-list-row:first-child .label-name').getByText(title, { exact: true }),
    });
    const palette = this.page.locator('.quick-input-widget');
    for (let tries = 4; ; tries--) {
      await this.page.keyboard.press('F1');
      try {
        await this.quickInput.opened(undefined, 5_000);
        await this.quickInput.fill(`>${title}`);
        await until(async () => (await row.first().isVisible()) || (await palette.isHidden()), `${title} in the palette`, 5_000);
        return await row.first().click({ timeout: 1_500 });
      } catch (err) {
        // The palette closes when something else takes the focus, as an editor does that opens late, and it offers what
        // applied when it opened.
        if (tries === 1) throw err;
        if (await palette.isVisible()) await this.quickInput.hide();
      }
    }
  }

  /** The titles that the palette offers for some words: to see what a `when` clause hides. */
  async commands(words: string): Promise<string[]> {
    await this.page.keyboard.press('F1');
    await this.quickInput.opened();
    await this.quickInput.fill(`>${words}`);
    // The list of before has no highlights. Without a match the palette says so or guesses.
    const list = this.page.locator('.quick-input-list');
    const guesses = list.locator('.quick-input-list-separator').getByText('similar commands');
    await list.locator('.highlight').or(guesses).or(list.getByText('No matching commands')).first().waitFor();
    const items = await this.quickInput.items();
    await this.quickInput.hide();
    const end = items.findIndex((i) => i.group === 'similar commands' || i.label === 'No matching commands');
    return items.slice(0, end < 0 ? items.length : end).map((i) => i.label);
  }

  get quickInput() {
    return new QuickInput(this.page);
  }
  get chat() {
    return new Chat(this);
  }
  get editor() {
    return new Editor(this);
  }

  /** A tree view in a side bar or the panel, by its title. */
  view(title: string): View {
    return new View(this.page, title);
  }

  /** The page of the webview in the active editor. */
  webview(): FrameLocator {
    return this.page.frameLocator('iframe.webview.ready').frameLocator('iframe#active-frame');
  }

  /** Opens an integrated terminal (bash with shell integration); it is ready for `run` when this returns. */
  terminal(): Promise<Terminal> {
    return Terminal.open(this);
  }

  /** An icon of the activity bar: `await wb.activity('Handrail').open()`. */
  activity(title: string) {
    const item = this.page.locator('.activitybar li.action-item').filter({ has: this.page.locator(`a[aria-label^="${title}"]`) });
    return {
      open: async () => {
        if ((await item.getAttribute('aria-expanded')) !== 'true') await item.click();
        await this.page.locator(`.activitybar li.action-item[aria-expanded="true"] a[aria-label^="${title}"]`).waitFor();
      },
      /** Text of the badge, '' without one. */
      badge: async () => {
        const badge = item.locator('.badge .badge-content');
        return (await badge.isVisible()) ? badge.innerText() : '';
      },
    };
  }

  /** An item of the status bar: by its id without the extension's, or by a text it contains. */
  statusBar(idOrText: string) {
    const all = this.page.locator('.part.statusbar .statusbar-item');
    const item = all
      .and(this.page.locator(`[id$=".${idOrText}"], [id="${idOrText}"]`))
      .or(all.filter({ hasText: idOrText }))
      .first();
    return {
      visible: () => item.isVisible(),
      /** The text without icons, '' when the item is not there. */
      text: async () => ((await item.isVisible()) ? (await item.innerText()).trim() : ''),
      /** Names of the icons in it. */
      icons: () => item.locator('.codicon').evaluateAll((es) => es.map((e) => /codicon-([\w-]+)/.exec(e.className)![1])),
      /** What a screen reader says. */
      label: () => item.getAttribute('aria-label'),
      /** 'warning', 'error' or ''. */
      kind: async () => /(warning|error)-kind/.exec((await item.getAttribute('class')) ?? '')?.[1] ?? '',
      /** The text of the hover; `links` are its targets. */
      tooltip: async () => {
        await item.locator('a').first().hover();
        const hover = this.page.locator('.monaco-hover:visible .hover-contents').first();
        await hover.waitFor();
        const read = {
          text: (await hover.innerText()).trim(),
          links: await hover.locator('a').evaluateAll((as) => as.map((a) => a.getAttribute('data-href') ?? '')),
        };
        await this.page.keyboard.press('Escape');
        await this.page.mouse.move(640, 300);
        await hover.waitFor({ state: 'hidden' });
        return read;
      },
      click: () => item.locator('a').first().click(),
    };
  }

  /** The notifications on screen, newest first. */
  async notifications(): Promise<{ message: string; severity: string; source: string; buttons: string[] }[]> {
    return this.page.locator('.notifications-toasts .notification-list-item').evaluateAll((items) =>
      items.map((item) => {
        const text = (s: string) => item.querySelector<HTMLElement>(s)?.innerText.trim() ?? '';
        return {
          message: text('.notification-list-item-message'),
          severity: /codicon-(info|warning|error)/.exec(item.querySelector('.notification-list-item-icon')?.className ?? '')?.[1] ?? '',
          source: text('.notification-list-item-source').replace(/^Source: /, ''),
          buttons: [...item.querySelectorAll<HTMLElement>('.monaco-text-button')].map((b) => b.innerText),
        };
      }),
    );
  }

  /** The notification that has this text: waits for it, and clicks a button of it or closes it. */
  notification(text: string) {
    const item = this.page.locator('.notifications-toasts .notification-list-item').filter({ hasText: text }).first();
    return {
      appears: () => item.waitFor(),
      click: async (button: string) => {
        await item.locator('.monaco-text-button').getByText(button, { exact: true }).click();
        await item.waitFor({ state: 'hidden' });
      },
      dismiss: async () => {
        await item.hover();
        await item.locator('.codicon-notifications-clear').click();
        await item.waitFor({ state: 'hidden' });
      },
    };
  }

  /** The modal dialog: waits for one. */
  async dialog() {
    const box = this.page.locator('.monaco-dialog-box');
    await box.waitFor();
    const text = async (part: string) => ((await box.locator(part).isVisible()) ? (await box.locator(part).innerText()).trim() : '');
    return {
      message: await text('.dialog-message-text'),
      detail: await text('.dialog-message-detail'),
      buttons: await box.locator('.dialog-buttons .monaco-button').allInnerTexts(),
      click: async (button: string) => {
        await box.locator('.dialog-buttons .monaco-button').getByText(button, { exact: true }).click();
        await box.waitFor({ state: 'hidden' });
      },
    };
  }

  /** What the Problems view lists, for all files it knows. Opens the view. */
  async problems(): Promise<{ severity: string; message: string; source: string; position: string }[]> {
    await this.run('Problems: Focus on Problems View');
    const list = this.page.locator('.markers-panel .monaco-list');
    await list.waitFor({ state: 'attached' });
    if (await this.page.locator('.markers-panel').getByText('No problems have been detected').isVisible()) return [];
    await list.waitFor();
    const rows = await readRows(list, (rows) =>
      rows.map((row) => {
        const text = (s: string) => row.querySelector<HTMLElement>(s)?.innerText.trim() ?? '';
        const icon = row.querySelector('.marker-icon')?.outerHTML ?? ''; // a row for a file has none
        return {
          index: Number(row.getAttribute('data-index')),
          value: {
            severity: /codicon-(?:severity-)?(info|warning|error)/.exec(icon)?.[1] ?? '',
            message: text('.marker-message'),
            source: text('.marker-source'),
            position: text('.marker-line'),
          },
        };
      }),
    );
    return rows.filter((r) => r.position !== '');
  }

  /**
   * A picture of the window, or of one part of it, where pictures are asked for. The same state gives the same picture.
   * With HANDRAIL_LOOKS it is taken in all looks.
   */
  async screenshot(name: string, part?: Locator): Promise<void> {
    await this.page.mouse.move(640, 300); // hovers nothing
    if (pictures) await this.picture(name, part);
  }
  /** One that is always taken, and its file. */
  async picture(name: string, part?: Locator): Promise<string> {
    await this.page.locator('.statusbar').getByText('Activating Extensions').waitFor({ state: 'hidden' });
    if (!process.env.HANDRAIL_LOOKS) return this.take(name, part);
    const before = String(this.readSettings()['workbench.colorTheme']);
    const dress = async ({ name, style }: { name: string; style: string }) => {
      const file = path.join(this.dir, 'fake-model', 'theme.json'); // a command would close what is open
      fs.writeFileSync(`${file}.tmp`, JSON.stringify(name));
      fs.renameSync(`${file}.tmp`, file);
      await this.page.locator(`.monaco-workbench.${style}`).waitFor();
    };
    const size = this.page.viewportSize()!;
    for (const [look, theme] of Object.entries(themes)) {
      await dress(theme);
      await this.take(`looks/${name}-${look}`, part);
      await this.page.setViewportSize({ width: Math.round(size.width / 1.5), height: Math.round(size.height / 1.5) });
      await this.take(`looks/${name}-${look}-150`, part);
      await this.page.setViewportSize(size);
    }
    await dress(Object.values(themes).find((theme) => theme.name === before) ?? themes.light);
    return this.take(name, part);
  }
  private async take(name: string, part: Locator | undefined): Promise<string> {
    const file = path.join(pictures ?? path.join(output, 'screenshots'), `${name}.png`);
    fs.mkdirSync(path.dirname(file), { recursive: true });
    const labels = this.page.locator('.monaco-icon-label-container'); // a click at the middle of a long label moves it
    await labels.evaluateAll((all) => all.forEach((label) => (label.scrollLeft = 0)));
    await (part ?? this.page).screenshot({
      path: file,
      caret: 'hide',
      style: '.cursors-layer, .xterm-cursor { visibility: hidden !important }',
    });
    return file;
  }

  // ---- files ----

  /** A file of the workspace. */
  file(name: string): string {
    return path.join(this.workspace, name);
  }
  read(name: string): string {
    return fs.readFileSync(this.file(name), 'utf8');
  }
  /** The user settings as they stand on disk. */
  readSettings(): Record<string, unknown> {
    return JSON.parse(fs.readFileSync(path.join(this.dir, 'data', 'User', 'settings.json'), 'utf8')) as Record<string, unknown>;
  }
  exists(name: string): boolean {
    return fs.existsSync(this.file(name));
  }
  write(name: string, text: string): void {
    fs.mkdirSync(path.dirname(this.file(name)), { recursive: true });
    fs.writeFileSync(this.file(name), text);
  }

  /** What the fake model answers from now on. */
  modelAnswers(markdown: string): void {
    fs.writeFileSync(path.join(this.dir, 'fake-model', 'answer.md'), markdown);
  }
  /** What the fake model drafts where it may. */
  modelDrafts(lesson: Record<string, unknown>): void {
    fs.writeFileSync(path.join(this.dir, 'fake-model', 'draft.json'), JSON.stringify(lesson));
  }
  /** The tool that the fake model calls where it is offered it. */
  modelCalls(name: string, input: unknown): void {
    fs.writeFileSync(path.join(this.dir, 'fake-model', 'tool.json'), JSON.stringify({ name, input }));
  }
  /** What the fake model was asked so far, oldest first. */
  modelRequests(): { model: string; messages: { role: string; text: string }[]; tools: string[] }[] {
    const file = path.join(this.dir, 'fake-model', 'requests.jsonl');
    return fs.existsSync(file)
      ? fs
          .readFileSync(file, 'utf8')
          .trim()
          .split('\n')
          .map((l) => JSON.parse(l))
      : [];
  }
  /** Calls a method of an extension's public API from another extension: arguments and value are JSON. */
  callApi(method: string, args: unknown[] = [], extension = 'handrail.handrail', version = 1): Promise<unknown> {
    return this.inExtensionHost('Fake Model: Call API', { extension, version, method, args });
  }
  /** Calls a language model tool, as a model would, and returns its text. */
  callTool(name: string, input: unknown): Promise<string> {
    return this.inExtensionHost('Fake Model: Invoke Tool', { name, input }) as Promise<string>;
  }
  /** Names of the language model tools that there are. */
  tools(): Promise<string[]> {
    return this.inExtensionHost('Fake Model: List Tools', {}) as Promise<string[]>;
  }
  /** Changes user settings while VS Code runs; null takes one away. */
  async settings(values: Record<string, unknown>): Promise<void> {
    await this.inExtensionHost('Fake Model: Set Settings', values);
  }
  private async inExtensionHost(command: string, call: unknown): Promise<unknown> {
    const dir = path.join(this.dir, 'fake-model');
    const result = path.join(dir, 'result.json');
    fs.rmSync(result, { force: true });
    fs.writeFileSync(path.join(dir, 'call.json'), JSON.stringify(call));
    await this.run(command);
    await until(() => fs.existsSync(result), `the end of ${command}`);
    const { value, error } = JSON.parse(fs.readFileSync(result, 'utf8'));
    if (error !== undefined) throw new Error(error);
    return value;
  }

  // ---- life ----

  /** Trusts the folder, for a workbench that was started as 'restricted'. */
  async trust(): Promise<void> {
    await this.run('Workspaces: Manage Workspace Trust');
    const editor = this.page.locator('.workspace-trust-editor');
    await editor.waitFor();
    await editor.locator('.workspace-trust-buttons-row .monaco-button').getByText('Trust', { exact: true }).click();
    await editor.getByText('You trust this folder').waitFor();
    await this.page.locator('.monaco-modal-editor-block .codicon-close').first().click();
    await editor.waitFor({ state: 'hidden' });
  }

  /** Loads the window anew, extensions included. */
  async reload(): Promise<void> {
    await this.ready(() => this.page.reload());
  }

  /** Closes what is in the way of a next test: menus, pickers, dialogs, notifications. */
  async reset(): Promise<void> {
    for (let i = 0; i < 3; i++) await this.page.keyboard.press('Escape');
    await this.page.locator('.quick-input-widget').waitFor({ state: 'hidden' });
    await this.run('Notifications: Clear All Notifications');
  }

  /** Saves what helps to understand a failure, and returns the folder. */
  async evidence(name: string): Promise<string> {
    const dir = path.join(output, 'failures', name.replace(/[^\p{L}\p{N}]+/gu, '-').slice(0, 80));
    fs.rmSync(dir, { recursive: true, force: true });
    fs.mkdirSync(dir, { recursive: true });
    await this.page?.screenshot({ path: path.join(dir, 'window.png') }).catch(() => {});
    fs.writeFileSync(path.join(dir, 'console.log'), this.console.join('\n'));
    fs.writeFileSync(path.join(dir, 'server.log'), this.host.log);
    const logs = path.join(this.dir, 'data', 'logs');
    if (fs.existsSync(logs)) fs.cpSync(logs, path.join(dir, 'logs'), { recursive: true });
    return dir;
  }

  /** Processes of this VS Code whose command line contains the text: to end a language server, or to see that none is left. */
  processes(text: string): { pid: number; command: string }[] {
    return this.host.processes(text);
  }

  /** What an extension wrote to its output channel of this name. */
  outputChannel(name: string): string {
    return this.logs(`-${name}.log`) || this.logs(`/${name}.log`);
  }

  /** The log of the extension host so far. */
  extensionHostLog(): string {
    return this.logs('remoteexthost.log');
  }
  private logs(ending: string): string {
    const logs = path.join(this.dir, 'data', 'logs');
    if (!fs.existsSync(logs)) return '';
    const files = fs.readdirSync(logs, { recursive: true, encoding: 'utf8' }).filter((f) => f.endsWith(ending));
    return files
      .sort()
      .map((f) => fs.readFileSync(path.join(logs, f), 'utf8'))
      .join('');
  }

  // ---- starting ----

  private prepare(): void {
    const { workspace } = this.options;
    if (typeof workspace === 'string') fs.cpSync(workspace, this.workspace, { recursive: true });
    else {
      fs.mkdirSync(this.workspace);
      for (const [name, text] of Object.entries(workspace)) this.write(name, text);
    }
    for (const d of ['home', 'data/User', 'fake-model']) fs.mkdirSync(path.join(this.dir, d), { recursive: true });
    const settings = { ...quiet, 'security.workspace.trust.enabled': this.options.trust === 'restricted', ...this.options.settings };
    fs.writeFileSync(path.join(this.dir, 'data', 'User', 'settings.json'), JSON.stringify(settings, null, 2));
    // No name of the machine in pictures; and the PATH of this process, which a login shell would forget.
    fs.writeFileSync(path.join(this.dir, 'home', '.bashrc'), `PS1='$ '\nPATH='${process.env.PATH ?? ''}'\n`);
    fs.writeFileSync(path.join(this.dir, 'home', '.bash_profile'), '. ~/.bashrc\n');
    fs.writeFileSync(
      path.join(this.dir, 'home', '.gitconfig'),
      '[user]\n\tname = Test\n\temail = test@example.com\n[init]\n\tdefaultBranch = main\n',
    );
    if (this.options.git)
      for (const args of [
        ['init', '-q'],
        ['add', '-A'],
        ['commit', '-qm', 'Start'],
      ])
        this.git(...args);
    if (this.options.model) this.modelAnswers('I have been told no answer.');
  }

  /** Runs a program in the workspace with the home directory of this run, as a terminal beside VS Code would. */
  exec(program: string, args: string[], input: string): string {
    const r = spawnSync(program, args, { cwd: this.workspace, env: this.host.env(), input, encoding: 'utf8' });
    if (r.status !== 0) throw new Error(`${program} ${args.join(' ')}: ${r.stderr}`);
    return r.stdout;
  }

  /** Runs git in the workspace, with the home directory of this run. */
  git(...args: string[]): string {
    const r = spawnSync('git', args, { cwd: this.workspace, env: this.host.env(), encoding: 'utf8' });
    if (r.status !== 0) throw new Error(`git ${args.join(' ')}: ${r.stderr}`);
    return r.stdout;
  }

  private async open(): Promise<void> {
    const context = await this.host.browser.newContext({
      viewport: { width: 1280, height: 800 },
      locale: 'en-US',
      timezoneId: 'UTC',
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    context.setDefaultTimeout(15_000);
    this.page = await context.newPage();
    this.page.on('console', (m) => this.console.push(`${m.type()} ${m.text()}`));
    this.page.on('pageerror', (e) => this.console.push(`pageerror ${e.stack ?? e}`));
    const { window } = this.options;
    const what = new URLSearchParams({ [window ? 'workspace' : 'folder']: path.join(this.workspace, window ?? '') });
    await this.ready(() => this.page.goto(`${this.host.url}?${what}`, { timeout: 60_000 }));
  }

  /** Loads the window and waits until the extensions that start with it have been activated. */
  private async ready(load: () => Promise<unknown>): Promise<void> {
    const before = this.activations();
    await load();
    await this.page.locator('.monaco-workbench .part.statusbar').waitFor({ timeout: 60_000 });
    await until(() => this.activations() > before, 'the extension host', 60_000);
  }
  private activations(): number {
    return this.extensionHostLog().split('Eager extensions activated').length;
  }
}
