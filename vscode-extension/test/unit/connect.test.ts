import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import * as vscode from 'vscode';
import type { Client } from '../../src/client';
import { output, setUp, told } from '../../src/connect';

const node = (script: string) => output(process.execPath, ['-e', script]);

describe('a command that connects agents', () => {
  it('is heard when it left one out', async () => {
    expect(await node(`console.log('claude: left out.'); process.exit(1)`)).toBe('claude: left out.\n');
  });

  it('fails when it says so', async () => {
    await expect(node(`console.log('half'); console.error('broken'); process.exit(1)`)).rejects.toThrow();
    await expect(node(`process.exit(1)`)).rejects.toThrow();
    await expect(node(`console.log('x'); process.exit(2)`)).rejects.toThrow();
  });

  it('tells a person all but what was read before', () => {
    expect(told('new brain: /w/.brain\ncodex: installed\n', ['new brain: /w/.brain'])).toBe('codex: installed');
  });
});

describe('Get Started', () => {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'handrail-connect-'));
  afterAll(() => fs.rmSync(dir, { recursive: true }));
  const window = vscode.window as unknown as Record<string, unknown>;

  /** Runs it where a program would make so many changes, and a person gives an answer; returns what was asked and what was run. */
  async function started(changes: number, answer?: string) {
    const calls = path.join(dir, 'calls');
    fs.rmSync(calls, { force: true });
    const program = path.join(dir, 'handrail');
    const plan = JSON.stringify({ agents: 0, changes, summary: ['new brain: /w/.brain'], diff: '' });
    fs.writeFileSync(
      program,
      `#!/bin/sh\necho "$*" >>'${calls}'\ncase "$*" in *--dry-run*) echo '${plan}';; *) printf 'new brain: /w/.brain\\nDone.\\n';; esac\n`,
      { mode: 0o755 },
    );
    const asked: string[] = [];
    window.showErrorMessage = (message: string) => asked.push(`error: ${message}`);
    window.showInformationMessage = (question: string, options?: { modal?: boolean; detail?: string }) => {
      if (options?.modal) asked.push(`${question} ${options.detail}`);
      return Promise.resolve(answer);
    };
    await setUp({ program: () => program, brain: vscode.Uri.from({ scheme: 'file', path: '/w/.brain' }) } as unknown as Client);
    return {
      asked,
      ran: fs
        .readFileSync(calls, 'utf8')
        .trim()
        .split('\n')
        .map((line) => line.split(' ').slice(0, 2).join(' ')),
    };
  }

  it.skipIf(process.platform === 'win32')('asks before it changes anything, with no agent too', async () => {
    const question = 'Handrail makes these changes. A copy of each file is kept. new brain: /w/.brain';
    expect(await started(2)).toEqual({ asked: [question], ran: ['setup --dry-run'] });
    expect(await started(2, 'Make These Changes')).toEqual({ asked: [question], ran: ['setup --dry-run', 'setup --yes'] });
  });

  it.skipIf(process.platform === 'win32')('asks nothing where all is set up, and tries the loop', async () => {
    expect(await started(0)).toEqual({ asked: [], ran: ['setup --dry-run', 'setup --yes'] });
  });
});
