// What the views show: the brain's cards, the candidates that wait, and the last answer. Fetched
// once for all of them, again whenever the server says that it is out of date.

import * as vscode from 'vscode';
import type { Client } from './client';
import type { Candidate, Card, Changed, Footer, Methods } from './protocol.gen';
import { contextOf } from './text';

export class Model implements vscode.Disposable {
  cards: readonly Card[] = [];
  candidates: readonly Candidate[] = [];
  /** The last answers that were checked, newest first. */
  answers: readonly Footer[] = [];

  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChange = this.changed.event;
  private readonly subscriptions: vscode.Disposable[];
  dispose = () => this.subscriptions.forEach((s) => void s.dispose());
  private waiting: Changed | undefined;
  private fetching = false;
  private brain: string | undefined;

  constructor(readonly client: Client) {
    this.subscriptions = [
      this.changed,
      this.onDidChange(() => void this.tellMenus()),
      vscode.window.onDidChangeActiveTextEditor(() => void this.tellMenus()),
      client.onChanged((c) => void this.fetch(c)),
      client.onFooter((f) => {
        const known = f.answerId !== '' && this.answers.some((a) => a.answerId === f.answerId);
        const others = this.answers.filter((a) => a.answerId !== ''); // a check without a request is shown until the next
        this.answers = known ? others.map((a) => (a.answerId === f.answerId ? f : a)) : [f, ...others].slice(0, 20);
        if (f.lessons.length > 0) void vscode.commands.executeCommand('setContext', 'handrail.used', true);
        this.changed.fire();
      }),
    ];
  }

  get footer(): Footer | undefined {
    return this.answers[0];
  }

  card(path: string): Card | undefined {
    return this.cards.find((c) => c.path === path);
  }

  /** The card that a file holds. */
  at(file: vscode.Uri | undefined): Card | undefined {
    const { brain } = this.client;
    return file && brain && this.cards.find((c) => this.client.uri(c.path).toString() === file.toString());
  }

  /** Tells menus and the palette what they are about, and which views have something to show. */
  private async tellMenus(): Promise<void> {
    const card = this.at(vscode.window.activeTextEditor?.document.uri);
    const set = (name: string, value: unknown) => vscode.commands.executeCommand('setContext', `handrail.${name}`, value);
    await set('card', card && contextOf(card));
    await set('answered', this.answers.length > 0);
    await set('candidates', this.candidates.length > 0);
  }

  /**
   * The project of a file, or else of the editor in front: the name of its workspace folder, when a card
   * has it. Work trees and clones under other names belong to no project rather than to a wrong one.
   */
  projectOf(file = vscode.window.activeTextEditor?.document.uri): string | undefined {
    const folder = (file && vscode.workspace.getWorkspaceFolder(file)) ?? vscode.workspace.workspaceFolders?.[0];
    const name = folder?.name.toLowerCase();
    return this.cards.find((c) => c.project !== '' && c.project.toLowerCase() === name)?.project;
  }

  /** Fetches what changed. What changes meanwhile is fetched after it, once. */
  private async fetch(what: Changed): Promise<void> {
    this.waiting = { cards: what.cards || !!this.waiting?.cards, candidates: what.candidates || !!this.waiting?.candidates };
    if (this.fetching) return;
    this.fetching = true;
    try {
      while (this.waiting) {
        const { cards, candidates }: Changed = this.waiting;
        const brain = this.client.brain?.toString();
        if (brain !== this.brain) this.answers = await this.list('handrail/answers', []); // not about another brain's cards
        this.brain = brain;
        this.waiting = undefined;
        if (cards) this.cards = await this.list('handrail/lessons', this.cards);
        if (candidates) this.candidates = await this.list('handrail/candidates', this.candidates);
        await vscode.commands.executeCommand('setContext', 'handrail.cards', this.cards.length > 0);
        this.changed.fire();
      }
    } finally {
      this.fetching = false;
    }
  }

  /** Asks for a list; one that cannot be had stays as it was. */
  private async list<M extends 'handrail/lessons' | 'handrail/candidates' | 'handrail/answers', T>(
    method: M,
    had: T,
  ): Promise<Methods[M]['result'] | T> {
    if (!this.client.brain) return [];
    try {
      return await this.client.request(method, {});
    } catch (err) {
      this.client.log.warn(`${method}: ${String(err)}`);
      return had;
    }
  }
}
