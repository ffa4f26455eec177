// The life of the server: started with the window, started again after a crash, and spoken to by
// typed requests. What the rest of the shim knows of the brain, it knows from here.

import * as os from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import * as vscode from 'vscode';
import { CloseAction, ErrorAction, LanguageClient, ResponseError, RevealOutputChannelOn, State } from 'vscode-languageclient/node';
import { findServer, ServerNotFound } from './binary';
import type { Candidate, Changed, ErrorData, Footer, Methods } from './protocol.gen';
import { Restarts } from './restart';

/** A refusal by the server: a sentence for a person, and a stable name for programs. */
export class Refusal extends Error {
  constructor(
    message: string,
    readonly code: string,
  ) {
    super(message);
  }
}

export class Client implements vscode.Disposable {
  private readonly footers = new vscode.EventEmitter<Footer>();
  private readonly candidates = new vscode.EventEmitter<Candidate>();
  private readonly changes = new vscode.EventEmitter<Changed>();
  /** An answer was checked, here or elsewhere. */
  readonly onFooter = this.footers.event;
  /** Something may be worth a card. */
  readonly onCandidate = this.candidates.event;
  /** Lists that show these are out of date; also fired when the brain or the server changes. */
  readonly onChanged = this.changes.event;
  /** The brain's folder; undefined while there is none. */
  brain: vscode.Uri | undefined;
  readonly log = vscode.window.createOutputChannel('Handrail', { log: true });

  private client: LanguageClient | undefined;
  private readonly restarts = new Restarts();
  private leaving = false;

  constructor(private readonly extension: vscode.Uri) {}

  /** Path of the server's program. Throws a ServerNotFound. */
  program(): string {
    const setting = vscode.workspace.getConfiguration('handrail').get('server.path', '');
    const path = process.env.PATH ?? '';
    return findServer({ setting, extension: this.extension.fsPath, path, platform: process.platform, home: os.homedir() });
  }

  /** Starts the server. What keeps it from starting is shown, not thrown. */
  async start(): Promise<void> {
    let command: string;
    try {
      command = this.program();
    } catch (err) {
      await this.notStarted(err);
      return;
    }
    const client = new LanguageClient(
      'handrail',
      'Handrail',
      { command, args: ['lsp'] },
      {
        documentSelector: [{ scheme: 'file', language: 'markdown' }],
        outputChannel: this.log,
        revealOutputChannelOn: RevealOutputChannelOn.Never, // what matters is said below, in a person's words
        initializationOptions: () => ({
          trusted: vscode.workspace.isTrusted,
          brain: { path: vscode.workspace.getConfiguration('handrail').get('brain.path', '') },
        }),
        errorHandler: { error: () => ({ action: ErrorAction.Continue }), closed: () => this.crashed() },
      },
    );
    client.onNotification('handrail/footer', (f: Footer) => this.footers.fire(f));
    client.onNotification('handrail/candidate', (c: Candidate) => this.candidates.fire(c));
    client.onNotification('handrail/changed', (c: Changed) => void this.refresh(c));
    client.onDidChangeState((e) => {
      if (e.newState !== State.Starting) void this.refresh({ cards: true, candidates: true });
    });
    this.client = client;
    try {
      await client.start();
    } catch (err) {
      await this.notStarted(err);
    }
  }

  /** Stops the server and starts it again, by a person's wish. */
  async restart(): Promise<void> {
    this.restarts.forget();
    await this.stop();
    await this.start();
  }

  /** Asks the server. Rejects with a Refusal whose message is for a person. */
  async request<M extends keyof Methods>(
    method: M,
    params: Methods[M]['params'],
    token?: vscode.CancellationToken,
  ): Promise<Methods[M]['result']> {
    if (!this.client) throw new Refusal(vscode.l10n.t('Handrail’s server is not running.'), 'not-running');
    try {
      const rest = token ? [token] : []; // an absent one would be taken for a second parameter
      return await this.client.sendRequest<Methods[M]['result']>(method, params, ...rest);
    } catch (err) {
      const data = err instanceof ResponseError ? (err as ResponseError<ErrorData | undefined>).data : undefined;
      throw new Refusal(err instanceof Error ? err.message : String(err), data?.code ?? 'internal');
    }
  }

  /** Asks the server and shows a person what it refuses, with a way out. Undefined means refused. */
  async ask<M extends keyof Methods>(method: M, params: Methods[M]['params']): Promise<Methods[M]['result'] | undefined> {
    try {
      return await this.request(method, params);
    } catch (err) {
      void this.explain(err);
      return undefined;
    }
  }

  /** The file of a card. */
  uri(path: string): vscode.Uri {
    return vscode.Uri.joinPath(this.brain ?? this.extension, path);
  }

  private async explain(err: unknown): Promise<void> {
    const message = err instanceof Error ? err.message : String(err);
    const [create, log] = [vscode.l10n.t('Create Brain'), vscode.l10n.t('Show Log')];
    const code = err instanceof Refusal ? err.code : '';
    const way = code === 'no-brain' ? create : log;
    const chosen = await vscode.window.showErrorMessage(message, way);
    if (chosen === create) void vscode.commands.executeCommand('handrail.brain.create');
    if (chosen === log) this.log.show();
  }

  /** Finds out where the brain is, then tells the views. */
  private async refresh(what: Changed): Promise<void> {
    if (this.client?.state !== State.Running) {
      this.brain = undefined;
    } else {
      try {
        this.brain = vscode.Uri.parse((await this.request('handrail/brain', {})).uri);
      } catch (err) {
        this.brain = undefined; // every view says how to make one
        if (!(err instanceof Refusal && err.code === 'no-brain')) this.log.error(`brain: ${String(err)}`);
      }
    }
    await vscode.commands.executeCommand('setContext', 'handrail.brain', this.brain !== undefined);
    this.changes.fire(what);
  }

  private async crashed(): Promise<{ action: CloseAction; handled: boolean }> {
    const wait = this.leaving ? undefined : this.restarts.next(Date.now());
    if (wait !== undefined) {
      this.log.warn(`the server ended; it is started again in ${wait} ms`);
      await delay(wait);
      return { action: CloseAction.Restart, handled: true };
    }
    if (!this.leaving) void this.gaveUp();
    return { action: CloseAction.DoNotRestart, handled: true };
  }

  private async gaveUp(): Promise<void> {
    const [again, log] = [vscode.l10n.t('Restart Server'), vscode.l10n.t('Show Log')];
    const message = vscode.l10n.t('Handrail’s server crashed three times and was left stopped. Your cards are safe.');
    const chosen = await vscode.window.showErrorMessage(message, again, log);
    if (chosen === again) await this.restart();
    if (chosen === log) this.log.show();
  }

  private async notStarted(err: unknown): Promise<void> {
    this.client = undefined;
    this.log.error(err instanceof Error ? err : String(err));
    const [settings, log] = [vscode.l10n.t('Open Settings'), vscode.l10n.t('Show Log')];
    const message =
      err instanceof ServerNotFound
        ? vscode.l10n.t(
            'Handrail’s server was not found at {0}. Correct the setting handrail.server.path or reinstall the extension.',
            err.file,
          )
        : vscode.l10n.t('Handrail’s server did not start. Its log says why.');
    const chosen = await vscode.window.showErrorMessage(message, settings, log);
    if (chosen === settings) void vscode.commands.executeCommand('workbench.action.openSettings', 'handrail.server.path');
    if (chosen === log) this.log.show();
  }

  private async stop(): Promise<void> {
    const client = this.client;
    this.client = undefined;
    this.leaving = true;
    try {
      await client?.dispose();
    } catch (err) {
      this.log.warn(`the server did not end in order: ${String(err)}`);
    } finally {
      this.leaving = false;
    }
  }

  async dispose(): Promise<void> {
    await this.stop();
    for (const d of [this.footers, this.candidates, this.changes, this.log]) d.dispose();
  }
}
