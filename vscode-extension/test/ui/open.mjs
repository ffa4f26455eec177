// Opens VS Code with the built extension on a copy of the demo brain: "code" when it is on PATH, with user data of its
// own, else the VS Code in a browser that the tests use. Ctrl-C ends it and removes the copy.
//
//   node open.mjs FILE.vsix

import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { install } from './setup.mjs';

const vsix = path.resolve(process.argv[2]);
const root = path.join(import.meta.dirname, '../../..');
const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'handrail-run-'));
const workspace = path.join(dir, 'chatops');
fs.cpSync(path.join(root, 'testdata/brains/demo'), path.join(workspace, '.brain'), { recursive: true });
spawnSync('git', ['init', '-q'], { cwd: workspace });

const places = ['--user-data-dir', path.join(dir, 'data'), '--extensions-dir', path.join(dir, 'extensions')];
const hasCode = spawnSync('code', ['--version']).status === 0;
let command = ['code', ...places];
if (!hasCode) {
  const t = install();
  fs.writeFileSync(path.join(dir, 'config.yaml'), ''); // else code-server writes one with a password
  command = [t.node, t.codeServer, '--config', path.join(dir, 'config.yaml'), ...places];
}
const installed = spawnSync(command[0], [...command.slice(1), '--install-extension', vsix, '--force'], { encoding: 'utf8' });
if (installed.status !== 0) {
  console.error(`${vsix} was not installed:\n${installed.stdout}${installed.stderr}`);
  process.exit(1);
}
const open = hasCode
  ? ['--wait', '--new-window', workspace]
  : ['--auth', 'none', '--bind-addr', '127.0.0.1:0', '--disable-workspace-trust', workspace];
const editor = spawn(command[0], [...command.slice(1), ...open], { stdio: hasCode ? 'inherit' : ['ignore', 'pipe', 'inherit'] });
editor.stdout?.on('data', (data) => {
  const url = /listening on (http:\/\/\S+)/.exec(String(data))?.[1];
  if (url) console.log(`VS Code is at ${url}?folder=${encodeURI(workspace)} (Ctrl-C ends it)`);
});
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => editor.kill(signal));
editor.on('exit', (code, signal) => {
  fs.rmSync(dir, { recursive: true, force: true, maxRetries: 5 });
  process.exitCode = signal ? 0 : (code ?? 1);
});
