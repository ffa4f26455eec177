// Connects coding agents to the brain. The program knows how; here a person chooses, sees what would
// change, and agrees.

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import * as vscode from 'vscode';
import { during, tell } from './ask';
import { common } from './binary';
import type { Client } from './client';
import { plain } from './text';

/** Runs a program and returns what it prints. One that fails and says why among that, as when an agent is left out, is heard too. */
export async function output(program: string, args: string[], cwd?: string, signal?: AbortSignal): Promise<string> {
  try {
    return (await promisify(execFile)(program, args, { cwd, signal, maxBuffer: 1 << 24 })).stdout;
  } catch (err) {
    const { code, stdout, stderr } = err as { code?: unknown; stdout?: string; stderr?: string };
    if (code === 1 && stdout && !stderr) return stdout;
    throw err;
  }
}

/** What `handrail setup --dry-run --json` prints. */
interface Plan {
  agents: number;
  changes: number;
  summary: string[];
  diff: string;
}

/** What a command says beside the lines that a person has read before it ran. */
export function told(output: string, read: string[]): string {
  const said = output.split('\n').filter((line) => !read.includes(line));
  return plain(said.join(' ').trim());
}

/** Runs a command of Handrail's in the workspace; a person may call it off. */
function run(client: Client, title: string, args: string[]): Thenable<string> {
  const cwd = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
  const stop = new AbortController();
  const all = [...args, ...common(client.brain?.fsPath, vscode.env.language)];
  return during(title, () => output(client.program(), all, cwd, stop.signal), { cancel: () => stop.abort() });
}

/** Says why something did not work, as the program says it; nothing where it was called off. */
function failed(err: unknown): void {
  const { name, stderr, message } = err as Error & { stderr?: string };
  if (name !== 'AbortError') void vscode.window.showErrorMessage(plain((stderr ?? '').trim() || message));
}

/** Connects the agents of this machine, or those that are named, makes a brain if there is none, and tries the loop; first it shows what changes, and asks. */
export async function setUp(client: Client, ...agents: string[]): Promise<void> {
  if (!vscode.workspace.workspaceFolders) return vscode.commands.executeCommand('vscode.openFolder');
  try {
    const brain = client.brain;
    const looking = vscode.l10n.t('Looking for agents…');
    const plan = JSON.parse(await run(client, looking, ['setup', ...agents, '--dry-run', '--json'])) as Plan;
    if (plan.changes > 0 && !(await agrees(plan))) return;
    const output = await run(client, vscode.l10n.t('Connecting agents…'), ['setup', ...agents, '--yes']);
    const said = told(output, plan.changes > 0 ? plan.summary : []);
    if (plan.agents > 0) await vscode.commands.executeCommand('setContext', 'handrail.connected', true); // ticks the walkthrough
    if (!brain) await client.restart(); // beside the new brain's daemon
    const find = vscode.l10n.t('Find Lessons in This Project');
    if ((await vscode.window.showInformationMessage(said, find)) === find) await learn(client);
  } catch (err) {
    failed(err);
  }
}

/** Looks for past mistakes in agents' conversations and in git's history; what it finds waits among the candidates. */
export async function learn(client: Client): Promise<void> {
  try {
    const found = await run(client, vscode.l10n.t('Looking for past mistakes…'), ['learn', '--json']);
    const { added } = JSON.parse(found) as { added: unknown[] };
    if (added.length === 0) return tell(vscode.l10n.t('Nothing new to record was found in past conversations and in git.'));
    const review = vscode.l10n.t('Review');
    const chosen = await vscode.window.showInformationMessage(vscode.l10n.t('Past mistakes to look at: {0}', added.length), review);
    if (chosen) await vscode.commands.executeCommand('handrail.candidates.review');
  } catch (err) {
    failed(err);
  }
}

/** Shows what would change in files, and asks. */
async function agrees({ summary, diff }: Plan): Promise<boolean> {
  const document = diff && (await vscode.workspace.openTextDocument({ content: diff, language: 'diff' }));
  if (document) await vscode.window.showTextDocument(document, { preview: true });
  const change = vscode.l10n.t('Make These Changes');
  const question = vscode.l10n.t('Handrail makes these changes. A copy of each file is kept.');
  const agreed = await vscode.window.showInformationMessage(question, { modal: true, detail: summary.join('\n') }, change);
  if (agreed !== change) return false; // what would change stays open, to be read
  if (document && vscode.window.activeTextEditor?.document === document) {
    await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
  }
  return true;
}
