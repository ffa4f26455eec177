import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { describe, expect, it } from 'vitest';

const root = path.join(__dirname, '../..');
const read = (file: string) => fs.readFileSync(path.join(root, file), 'utf8');
const json = (file: string) => JSON.parse(read(file)) as Record<string, string>;
const sources = fs
  .readdirSync(path.join(root, 'src'))
  .map((f) => read(`src/${f}`))
  .join('\n');

describe('settings', () => {
  it('that say what is run and where texts are sent are no workspace’s to make', () => {
    const manifest = JSON.parse(read('package.json')) as {
      contributes: { configuration: { properties: Record<string, { scope: string }> } };
      capabilities: { untrustedWorkspaces: { restrictedConfigurations: string[] } };
    };
    const settings = Object.entries(manifest.contributes.configuration.properties);
    const guarded = settings.filter(([name]) => /^handrail\.(server\.path|embeddings)$/.test(name));
    expect(guarded).toHaveLength(2);
    for (const [name, { scope }] of guarded) {
      expect(scope, name).toBe('machine');
      expect(manifest.capabilities.untrustedWorkspaces.restrictedConfigurations).toContain(name);
    }
  });
});

describe('the bundle', () => {
  it('that activation reads is small: the language client is another', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: { build: string } };
    const out = fs.mkdtempSync(path.join(os.tmpdir(), 'handrail-bundle-'));
    const args = [...scripts.build.split(' ').slice(1), `--outdir=${out}`];
    execFileSync(process.execPath, ['node_modules/esbuild/bin/esbuild', ...args], { cwd: root, stdio: 'pipe' });
    const size = (file: string) => fs.statSync(path.join(out, file)).size;
    expect(size('extension.js')).toBeLessThan(90 << 10);
    expect(size('language.js')).toBeGreaterThan(size('extension.js'));
    fs.rmSync(out, { recursive: true });
  });
});

describe('the tool for models', () => {
  it('is away while the MCP server has the same', () => {
    const { contributes } = JSON.parse(read('package.json')) as { contributes: { languageModelTools: { when: string }[] } };
    expect(contributes.languageModelTools.map((t) => t.when)).toEqual(['isWorkspaceTrusted && handrail.brain && !handrail.mcp']);
  });
});

describe('the palette', () => {
  const { contributes } = JSON.parse(read('package.json')) as {
    contributes: { commands: { command: string }[]; menus: Record<string, { command: string; when: string }[]> };
  };

  it('has what a person types, and no more', () => {
    const away = (contributes.menus.commandPalette ?? []).filter(({ when }) => when === 'false');
    expect(contributes.commands.length - away.length).toBeLessThanOrEqual(14);
  });

  it('and the menus have commands that the code registers', () => {
    const registered = (command: string) => {
      const [name, last] = [command.replace('handrail.', ''), command.split('.').at(-1)];
      return new RegExp(`\\(\\s*'(${command}|${name}|${last})'|^ {4}'?${name}'?: `, 'm').test(sources);
    };
    expect(contributes.commands.map(({ command }) => command).filter((command) => !registered(command))).toEqual([]);
  });

  it('and every menu, link and button run commands that there are', () => {
    const links = ['lesson.suggest', 'lessons.here', 'line.ignore', 'place.open', 'server.showLog', 'answer.focus', 'lessons.focus'];
    const known = [...contributes.commands.map(({ command }) => command), ...links.map((name) => `handrail.${name}`)];
    const run = [...sources.matchAll(/(?:executeCommand\(|command: |link\([^']*'?[^']*'?[^']*)'(handrail\.[\w.]+)'/g)].map((m) => m[1]);
    const shown = Object.values(contributes.menus).flatMap((rows) => rows.map(({ command }) => command));
    const texts = [...read('package.nls.json').matchAll(/command:(handrail\.[\w.]+)/g)].map((m) => m[1]);
    expect(run).toContain('handrail.lesson.why');
    expect([...run, ...shown, ...texts].filter((name) => !known.includes(name ?? ''))).toEqual([]);
  });
});

describe('texts', () => {
  it('of the manifest exist in both languages', () => {
    const used = [...new Set([...read('package.json').matchAll(/"%([\w.]+)%"/g)].map((m) => m[1]))].sort();
    expect(Object.keys(json('package.nls.json')).sort()).toEqual(used);
    expect(Object.keys(json('package.nls.ko.json')).sort()).toEqual(used);
  });

  it('of the code exist in Korean', () => {
    const used = [...new Set([...sources.matchAll(/l10n\.t\(\s*'((?:[^'\\]|\\.)*)'/g)].map((m) => m[1]))].sort();
    expect(Object.keys(json('l10n/bundle.l10n.ko.json')).sort()).toEqual(used);
  });

  it('keep their links and placeholders in translation', () => {
    const marks = (text: string) => (text.match(/\{\d\}|\((?:command|https):[^)]+\)|`[^`]+`/g) ?? []).sort();
    const ko = json('package.nls.ko.json');
    for (const [key, text] of Object.entries(json('package.nls.json'))) expect(marks(ko[key] ?? ''), key).toEqual(marks(text));
    for (const [text, translated] of Object.entries(json('l10n/bundle.l10n.ko.json'))) expect(marks(translated), text).toEqual(marks(text));
  });
});
