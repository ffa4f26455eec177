// What the views show: the brain's cards, the candidates that wait, and the last answer. Fetched
// once for all of them, again whenever the server says that it is out of date.

import * as vscode from 'vscode';
import type { Client } from './client';
import type { Candidate, Card, Changed, Footer } from './protocol.gen';

export class Model implements vscode.Disposable {
  cards: readonly Card[] = [];
  candidates: readonly Candidate[] = [];
  footer: Footer | undefined;

  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChange = this.changed.event;
  private readonly subscriptions: vscode.Disposable[];
  private waiting: Changed | undefined;
  private fetching = false;

  constructor(readonly client: Client) {
    this.subscriptions = [
      this.changed,
      client.onChanged((c) => void this.fetch(c)),
      client.onFooter((f) => {
        this.footer = f;
        if (f.lessons.length > 0) void vscode.commands.executeCommand('setContext', 'handrail.used', true);
        this.changed.fire();
      }),
    ];
  }

  card(path: string): Card | undefined {
    return this.cards.find((c) => c.path === path);
  }

  /** Fetches what changed. What changes meanwhile is fetched after it, once. */
  private async fetch(what: Changed): Promise<void> {
    this.waiting = { cards: what.cards || !!this.waiting?.cards, candidates: what.candidates || !!this.waiting?.candidates };
    if (this.fetching) return;
    this.fetching = true;
    try {
      while (this.waiting) {
        const { cards, candidates }: Changed = this.waiting;
        this.waiting = undefined;
        if (cards) this.cards = await this.list('handrail/lessons');
        if (candidates) this.candidates = await this.list('handrail/candidates');
        await vscode.commands.executeCommand('setContext', 'handrail.cards', this.cards.length > 0);
        this.changed.fire();
      }
    } finally {
      this.fetching = false;
    }
  }

  private async list<M extends 'handrail/lessons' | 'handrail/candidates'>(method: M) {
    if (!this.client.brain) return [];
    try {
      return await this.client.request(method, {});
    } catch (err) {
      this.client.log.warn(`${method}: ${String(err)}`);
      return [];
    }
  }

  dispose(): void {
    for (const s of this.subscriptions) s.dispose();
  }
}

/** The project that a file, or else the window, belongs to: the name of its workspace folder. */
export function project(file?: vscode.Uri): string | undefined {
  const folder = file && vscode.workspace.getWorkspaceFolder(file);
  return (folder ?? vscode.workspace.workspaceFolders?.[0])?.name;
}
