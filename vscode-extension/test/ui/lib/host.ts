// VS Code's server and the browser, which windows of the same kind use one after the other: to start both takes as long
// as a window does.

import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { chromium, type Browser } from 'playwright-core';
import { tools } from '../setup.mjs';
import { until } from './until';
import { packVsix } from './vsix';

const fixtures = path.join(import.meta.dirname, '..', 'fixtures');

/** What windows must have in common to share a host. */
export interface Kind {
  /** Files ending in .vsix, or folders of extensions that need no build. */
  extensions: string[];
  locale: 'en' | 'ko';
}

/** VS Code's own extensions that the tests see something of; to find and start all ninety takes seconds. Pictures have all. */
const builtin = ['git', 'git-base', 'go', 'json', 'markdown-basics', 'markdown-language-features', 'theme-defaults', 'theme-seti'];

let running: { host: Host; kind: string } | undefined;

/** The host that runs, with nothing left of the window before; or a new one. */
export async function hostOf(kind: Kind): Promise<Host> {
  const name = JSON.stringify(kind);
  if (running?.kind === name) {
    await running.host.clear();
    return running.host;
  }
  await running?.host.close();
  running = undefined;
  const host = new Host(kind);
  try {
    await host.start();
  } catch (err) {
    await host.close();
    throw err;
  }
  running = { host, kind: name };
  return host;
}

export class Host {
  /** Everything of the windows: a home, user data, workspaces. Removed with the host, or when this process ends. */
  readonly dir = fs.mkdtempSync(path.join(os.tmpdir(), 'handrail-ui-'));
  url = '';
  log = '';
  browser!: Browser;
  private server?: ChildProcess;
  private readonly go = goEnv();

  constructor(private readonly kind: Kind) {}

  /** What VS Code, its extensions and its terminals have. */
  env(): NodeJS.ProcessEnv {
    // Started from a terminal of VS Code, the variables of that window would reach into this one.
    const inherited = Object.fromEntries(
      Object.entries(process.env).filter(
        ([k]) => !/^(VSCODE_|XDG_|GIT_|NODE_|VITEST|npm_|PORT$|PASSWORD$|HASHED_PASSWORD$|GITHUB_TOKEN$)/.test(k),
      ),
    );
    return {
      ...inherited,
      ...this.go,
      HOME: path.join(this.dir, 'home'),
      SHELL: '/bin/bash',
      LANG: 'C.UTF-8',
      TZ: 'UTC',
      EXTENSIONS_GALLERY: '{}', // asks no gallery
      FAKE_MODEL_DIR: path.join(this.dir, 'fake-model'),
    };
  }

  async start(): Promise<void> {
    fs.mkdirSync(path.join(this.dir, 'data'));
    fs.mkdirSync(path.join(this.dir, 'home'));
    fs.writeFileSync(path.join(this.dir, 'config.yaml'), ''); // else code-server writes one with a password
    const builtins = path.join(path.dirname(tools().codeServer), '../../lib/vscode/extensions');
    fs.mkdirSync(path.join(this.dir, 'builtin'));
    for (const name of builtin) fs.symlinkSync(path.join(builtins, name), path.join(this.dir, 'builtin', name));
    if (this.kind.locale === 'ko') this.speakKorean();
    this.install();
    this.url = await this.serve();
    this.browser = await chromium.launch({
      executablePath: tools().chromium,
      args: [
        '--no-sandbox',
        '--disable-gpu',
        '--disable-quic',
        '--disable-background-networking',
        '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1', // nothing outside this machine
        '--font-render-hinting=none',
      ],
    });
  }

  /** Ends what the window before left: its extension host, terminals and daemons, and all files but the extensions. */
  async clear(): Promise<void> {
    for (const context of this.browser.contexts()) await context.close();
    const left = () => {
      const all = processes();
      const ours = new Set(all.filter((p) => p.group === this.server?.pid).map((p) => p.pid));
      const ends = all.filter(
        (p) => (ours.has(p.pid) && /--type=(extensionHost|fileWatcher)/.test(p.command)) || p.command.includes(`${this.dir}/workspaces/`),
      );
      const pty = all.filter((p) => ours.has(p.pid) && p.command.includes('--type=ptyHost')).map((p) => p.pid);
      const below = new Set([...pty, ...ends.map((p) => p.pid)]);
      for (let more = true; more;) {
        const next = all.filter((p) => below.has(p.parent) && !below.has(p.pid));
        for (const p of next) below.add(p.pid);
        more = next.length > 0;
      }
      for (const pid of pty) below.delete(pid);
      return [...below];
    };
    await until(() => {
      const pids = left();
      for (const pid of pids) kill(pid, 'SIGKILL');
      return pids.length === 0;
    }, 'the window before to end');
    for (const name of ['home', 'fake-model', 'workspaces', 'data/User']) fs.rmSync(path.join(this.dir, name), gone);
    const logs = path.join(this.dir, 'data', 'logs');
    for (const run of fs.readdirSync(logs))
      for (const name of fs.readdirSync(path.join(logs, run))) if (name.startsWith('exthost')) fs.rmSync(path.join(logs, run, name), gone);
  }

  /** Processes of this VS Code whose command line contains the text. */
  processes(text: string): { pid: number; command: string }[] {
    return processes().filter((p) => p.group === this.server?.pid && p.command.includes(text));
  }

  /** Ends every process and removes all files. */
  async close(): Promise<void> {
    if (running?.host === this) running = undefined;
    await this.browser?.close().catch(() => {});
    const group = -(this.server?.pid ?? 0);
    if (group) {
      kill(group, 'SIGTERM');
      await until(() => !kill(group, 0), 'code-server to end', 3000).catch(() => kill(group, 'SIGKILL'));
      await until(() => !kill(group, 0), 'code-server to be killed', 3000);
    }
    fs.rmSync(this.dir, gone);
  }

  /**
   * `--locale ko` alone changes nothing: the server looks for a language pack of that name in languagepacks.json, which
   * only the gallery's installer writes, and falls back to English for window and extensions without one. An empty
   * pack is enough. With it the window reports the language ko, `vscode.env.language` follows, and the extension host
   * reads package.nls.ko.json and bundle.l10n.ko.json.
   */
  private speakKorean(): void {
    const pack = {
      ko: {
        hash: createHash('sha256').update('korean').digest('hex').slice(0, 32),
        extensions: [{ extensionIdentifier: { id: 'handrail-test.korean' }, version: '0.0.1' }],
        translations: { vscode: path.join(fixtures, 'korean', 'main.i18n.json') },
        label: '한국어',
      },
    };
    fs.writeFileSync(path.join(this.dir, 'data', 'languagepacks.json'), JSON.stringify(pack));
  }

  private install(): void {
    const extensions = [...this.kind.extensions, path.join(fixtures, 'fake-model')];
    if (this.kind.locale === 'ko') extensions.push(path.join(fixtures, 'korean'));
    const args = extensions.flatMap((e, i) => {
      const vsix = e.endsWith('.vsix') ? path.resolve(e) : packVsix(e, path.join(this.dir, `${i}-${path.basename(e)}.vsix`));
      return ['--install-extension', vsix];
    });
    const t = tools();
    const r = spawnSync(t.node, [t.codeServer, ...this.places(), ...args, '--force'], { env: this.env(), encoding: 'utf8' });
    const installed = (r.stdout.match(/was successfully installed/g) ?? []).length;
    if (r.status !== 0 || installed !== extensions.length) throw new Error(`Installing extensions failed:\n${r.stdout}${r.stderr}`);
  }

  private places(): string[] {
    const at = (name: string) => path.join(this.dir, name);
    const places = ['--config', at('config.yaml'), '--user-data-dir', at('data'), '--extensions-dir', at('extensions')];
    return process.env.HANDRAIL_SCREENSHOTS ? places : [...places, '--builtin-extensions-dir', at('builtin')];
  }

  private async serve(): Promise<string> {
    const t = tools();
    const args = [
      ...this.places(),
      '--auth',
      'none',
      '--bind-addr',
      '127.0.0.1:0',
      '--disable-telemetry',
      '--disable-update-check',
      '--disable-getting-started-override',
    ];
    if (this.kind.locale === 'ko') args.push('--locale', 'ko');
    // A process group of its own, so that `close` reaches extension hosts and language servers too. The shell holds the
    // other end of a pipe from here: once this process ends without `close`, the pipe ends, and group and files go.
    const guard = 'exec 3<&0 </dev/null; dir=$1; shift; (cat <&3; rm -rf "$dir"; kill -KILL 0) >/dev/null 2>&1 & exec "$@" 3<&-';
    const guarded = ['-c', guard, 'sh', this.dir, t.node, t.codeServer, ...args];
    const server = spawn('/bin/sh', guarded, { env: this.env(), cwd: this.dir, detached: true, stdio: ['pipe', 'pipe', 'pipe'] });
    this.server = server;
    return new Promise<string>((resolve, reject) => {
      const listen = (data: Buffer) => {
        this.log += data;
        const url = /listening on (http:\/\/\S+)/.exec(this.log);
        if (url) resolve(url[1]!);
      };
      server.stdout.on('data', listen);
      server.stderr.on('data', listen);
      server.on('error', reject);
      server.on('exit', (code) => reject(new Error(`code-server ended with ${code}:\n${this.log}`)));
    });
  }
}

const gone = { recursive: true, force: true, maxRetries: 5 };

/** Go's caches are the machine's own: a test is about the terminal, not about compiling the standard library. */
function goEnv(): Record<string, string> {
  const names = ['GOCACHE', 'GOMODCACHE', 'GOTOOLCHAIN'];
  const values = spawnSync('go', ['env', ...names], { encoding: 'utf8' })
    .stdout.trim()
    .split('\n');
  return { ...Object.fromEntries(names.map((name, i) => [name, values[i]!])), GOFLAGS: '-mod=mod' };
}

function processes(): { pid: number; parent: number; group: number; command: string }[] {
  const rows = spawnSync('ps', ['-eo', 'pid=,ppid=,pgid=,args='], { encoding: 'utf8' }).stdout.split('\n');
  const read = rows.map((row) => /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(.*)$/.exec(row)).filter((m) => m !== null);
  return read.map((m) => ({ pid: Number(m[1]), parent: Number(m[2]), group: Number(m[3]), command: m[4]! }));
}

/** Sends a signal, and reports whether there was something to send it to. */
function kill(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false; // it has ended by itself
  }
}
