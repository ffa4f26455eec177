// What VS Code can notice and the server cannot: commands in terminals, test tasks and saves.
// The server judges what they mean.

import * as path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import * as vscode from 'vscode';
import type { Client } from './client';
import type { Event } from './protocol.gen';

/** Characters kept of a command's output: its end, which says what failed. */
const TAIL = 128 * 1024;
/** Milliseconds to wait for the rest of the output of a command that has ended. */
const END_OF_OUTPUT = 1000;
/** Milliseconds that one event may hold up the next, and how many may wait. */
const PATIENCE = 10_000;
const MOST = 100;

/** Reports events to the server while the workspace is trusted and the settings allow it. */
export class Senses implements vscode.Disposable {
  private readonly subscriptions: vscode.Disposable[];
  dispose = () => this.subscriptions.forEach((s) => void s.dispose());
  private last = Promise.resolve();
  private waiting = 0;
  private readonly outputs = new Map<vscode.TerminalShellExecution, { terminal: vscode.Terminal; text: string; done: Promise<void> }>();

  constructor(private readonly client: Client) {
    this.subscriptions = [
      vscode.window.onDidStartTerminalShellExecution((e) => {
        if (this.on('terminal')) this.listen(e);
      }),
      vscode.window.onDidCloseTerminal((closed) => {
        for (const [execution, { terminal }] of this.outputs) if (terminal === closed) this.outputs.delete(execution);
      }),
      vscode.window.onDidEndTerminalShellExecution((e) => this.commandEnded(e)),
      vscode.tasks.onDidEndTaskProcess((e) => this.taskEnded(e)),
      vscode.workspace.onDidSaveTextDocument((d) => this.edited(d)),
      vscode.workspace.onDidChangeTextDocument(({ contentChanges, document }) => {
        if (contentChanges.length > 0 && !document.isDirty) this.edited(document); // another program wrote the file
      }),
    ];
  }

  private on(sense: 'terminal' | 'tasks' | 'edits'): boolean {
    const senses = vscode.workspace.getConfiguration('handrail').get<string[]>('senses', []);
    return vscode.workspace.isTrusted && !!this.client.brain && senses.includes(sense);
  }

  /** Output is lost unless it is read from the start. */
  private listen({ execution, terminal }: vscode.TerminalShellExecutionStartEvent): void {
    const output = { terminal, text: '', done: Promise.resolve() };
    const read = async () => {
      for await (const data of execution.read()) output.text = (output.text + data).slice(-TAIL);
    };
    output.done = read().catch((err: unknown) => this.client.log.debug(`terminal: ${String(err)}`));
    this.outputs.set(execution, output);
  }

  private commandEnded(e: vscode.TerminalShellExecutionEndEvent): void {
    const output = this.outputs.get(e.execution);
    if (!output) return;
    this.outputs.delete(e.execution);
    const ended = Promise.race([output.done, delay(END_OF_OUTPUT)]); // the end of a stream may get lost
    this.report(
      ended.then(() => ({
        kind: 'command',
        command: e.execution.commandLine.value,
        output: output.text,
        ...(e.execution.cwd && { cwd: e.execution.cwd.toString() }),
        ...(e.exitCode !== undefined && { exitCode: e.exitCode }),
      })),
    );
  }

  private taskEnded(e: vscode.TaskProcessEndEvent): void {
    const task = e.execution.task;
    if (!this.on('tasks') || task.group?.id !== vscode.TaskGroup.Test.id) return;
    const folder = typeof task.scope === 'object' ? task.scope.uri : vscode.workspace.workspaceFolders?.[0]?.uri;
    this.report({
      kind: 'test',
      command: commandLine(task),
      ...(folder && { cwd: folder.toString() }),
      ...(e.exitCode !== undefined && { exitCode: e.exitCode }),
    });
  }

  private edited(document: vscode.TextDocument): void {
    if (this.counts(document)) this.report({ kind: 'edit', files: [document.uri.toString()] });
  }

  /** Files of the project count, cards do not. */
  private counts(document: vscode.TextDocument): boolean {
    const { uri } = document;
    const brain = this.client.brain;
    if (!this.on('edits') || uri.scheme !== 'file' || !vscode.workspace.getWorkspaceFolder(uri)) return false;
    const rel = brain ? path.relative(brain.fsPath, uri.fsPath) : '..';
    return rel.startsWith('..') || path.isAbsolute(rel); // absolute: on another drive
  }

  /** Tells the server, one event after the other as they happened; a refusal is for the log alone. */
  private report(event: Event | Promise<Event>): void {
    const at = new Date().toISOString();
    if (this.waiting >= MOST) return;
    this.waiting++;
    this.last = this.last.then(async () => {
      try {
        if (vscode.workspace.isTrusted) await this.client.soonOrNever('handrail/report', { ...(await event), at }, PATIENCE);
      } catch (err) {
        this.client.log.debug(`report: ${String(err)}`);
      } finally {
        this.waiting--;
      }
    });
  }
}

function commandLine(task: vscode.Task): string {
  const x = task.execution;
  if (x instanceof vscode.ShellExecution) {
    const words = [x.command, ...(x.args ?? [])].map((w) => (typeof w === 'string' ? w : (w?.value ?? '')));
    return x.commandLine ?? words.join(' ');
  }
  return x instanceof vscode.ProcessExecution ? [x.process, ...x.args].join(' ') : task.name;
}
