// The life of the server: started with the window, started again after a crash, and spoken to by
// typed requests. What the rest of the shim knows of the brain, it knows from here.

import * as os from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import * as vscode from 'vscode';
import type { LanguageClient, ResponseError } from 'vscode-languageclient/node';
import { during } from './ask';
import { findServer } from './binary';
import type { Candidate, Changed, ErrorData, FolderBrain, Footer, Methods } from './protocol.gen';
import { Refusal } from './refusal';
import { plain } from './text';

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
  /** Whether the brain's cards come to agents outside VS Code. */
  trusted = true;
  /** Whether a person lets no card come for a while. */
  paused = false;
  /** The brain's folder; undefined while there is none. */
  brain: vscode.Uri | undefined;
  /** The window's folders and their brains, where there are several brains and no setting names one. */
  places: readonly FolderBrain[] = [];
  /** How many conversations are under way, whose server is not to be exchanged. */
  turns = 0;
  readonly log = vscode.window.createOutputChannel('Handrail', { log: true });
  state: 'starting' | 'running' | 'stopped' = 'starting';
  private client: LanguageClient | undefined;
  private chosen = ''; // which of the brains, as a path
  private turn: Promise<unknown> = Promise.resolve();
  private readonly folders = vscode.workspace.createFileSystemWatcher('**/{.brain,brain}', false, true, true);

  constructor(private readonly extension: vscode.Uri) {
    this.folders.onDidCreate(async () => {
      await this.turn.catch(() => undefined);
      if (!this.brain) await this.restart(); // it came in another way than by our command
    });
  }

  /** Path of the server's program. Throws a Refusal that names where it was looked for. */
  program(): string {
    const setting = vscode.workspace.getConfiguration('handrail').get('server.path', '');
    const path = process.env.PATH ?? '';
    return findServer({ setting, extension: this.extension.fsPath, path, platform: process.platform, home: os.homedir() });
  }

  /** Starts the server. What keeps it from starting is shown, not thrown. */
  start(): Promise<void> {
    return this.soon(() => this.launch());
  }

  /** Stops the server and starts it again, by a person's wish. */
  restart(): Promise<void> {
    return this.soon(async () => {
      await this.stop();
      await this.launch();
    });
  }

  /** The folder whose brain this is, where there are several. */
  get place(): string {
    const folder = this.places.find(({ brain }) => same(brain, this.brain))?.folder;
    return folder ? nameOf(folder) : '';
  }

  /** Turns to another of the window's brains. */
  async turnTo(brain: string): Promise<void> {
    const path = vscode.Uri.parse(brain).fsPath;
    if (path === (this.chosen || this.brain?.fsPath)) return;
    this.chosen = path;
    await this.restart();
  }

  /** Starts and stops happen one after the other. */
  private soon(task: () => Promise<void>): Promise<void> {
    const done = this.turn.then(task, task);
    this.turn = done;
    return done;
  }

  private async launch(): Promise<void> {
    await this.say('starting');
    let command: string;
    try {
      command = this.program();
    } catch (err) {
      return this.notStarted(err);
    }
    const { CloseAction, Connection, ErrorAction, RevealOutputChannelOn, State } = await import('./language.js');
    const client: LanguageClient = new Connection(
      'handrail',
      'Handrail',
      { command, args: ['lsp'] },
      {
        documentSelector: [{ scheme: 'file', language: 'markdown' }],
        outputChannel: this.log,
        revealOutputChannelOn: RevealOutputChannelOn.Never, // what matters is said below, in a person's words
        initializationOptions: () => {
          const settings = vscode.workspace.getConfiguration();
          const path = settings.get<string>('handrail.brain.path') || this.chosen;
          const commands = ['handrail.lessons.here', 'handrail.lesson.suggest']; // that lenses may run
          return { ...settings.get<object>('handrail'), trusted: vscode.workspace.isTrusted, brain: { path }, commands };
        },
        initializationFailedHandler: () => false,
        errorHandler: {
          error: () => ({ action: ErrorAction.Continue }),
          closed: async () => {
            if (this.client !== client) return { action: CloseAction.DoNotRestart, handled: true }; // it was left on purpose
            const { action } = await crashes.closed();
            if (action === CloseAction.DoNotRestart) void this.crashed();
            return { action, handled: true };
          },
        },
      },
    );
    const crashes = client.createDefaultErrorHandler(2); // of the third within three minutes a person is told
    client.onDidChangeState(({ newState }) => {
      if (newState === State.Running && this.state === 'running') void this.refresh({ cards: true, candidates: true }); // after a crash
    });
    client.onNotification('handrail/footer', (f: Footer) => this.footers.fire(f));
    client.onNotification('handrail/candidate', (c: Candidate) => this.candidates.fire(c));
    client.onNotification('handrail/changed', (c: Changed) => void this.refresh(c));
    this.client = client;
    try {
      await client.start();
      await this.refresh({ cards: true, candidates: true });
      await this.say('running');
    } catch (err) {
      if (this.client === client) return this.notStarted(err);
      this.log.error(`the server ended while it started: ${String(err)}`);
    }
  }

  /** Asks the server. Rejects with a Refusal whose message is for a person; a restart is no reason to refuse. */
  async request<M extends keyof Methods>(
    method: M,
    params: Methods[M]['params'],
    token?: vscode.CancellationToken,
  ): Promise<Methods[M]['result']> {
    if (!this.client || this.state === 'starting') await this.turn.catch(() => undefined);
    return this.send(method, params, token);
  }

  private async send<M extends keyof Methods>(
    method: M,
    params: Methods[M]['params'],
    token?: vscode.CancellationToken,
  ): Promise<Methods[M]['result']> {
    if (!this.client) throw new Refusal(notRunning(), 'not-running');
    try {
      const rest = token ? [token] : []; // an absent one would be taken for a second parameter
      return await this.client.sendRequest<Methods[M]['result']>(method, params, ...rest);
    } catch (err) {
      const { data } = err as Partial<ResponseError<ErrorData>>;
      if (data) throw new Refusal((err as Error).message, data.code);
      this.log.warn(`${method}: ${String(err)}`); // the connection's own words are for the log
      throw new Refusal(notRunning(), token?.isCancellationRequested ? 'cancelled' : 'not-running');
    }
  }

  /** As request, for what must not be waited for: gives up after some milliseconds. */
  async soonOrNever<M extends keyof Methods>(method: M, params: Methods[M]['params'], limit: number): Promise<Methods[M]['result']> {
    const late = delay(limit).then(() => {
      throw new Refusal(vscode.l10n.t('Handrail did not answer in time.'), 'timeout');
    });
    return Promise.race([this.request(method, params), late]);
  }

  /** Asks the server and shows a person what it refuses, with a way out. Undefined means refused, or given up: what takes longer than a second can be. */
  async ask<M extends keyof Methods>(method: M, params: Methods[M]['params']): Promise<Methods[M]['result'] | undefined> {
    const stop = new vscode.CancellationTokenSource();
    try {
      const answer = this.request(method, params, stop.token);
      const ended = answer.catch(() => undefined).then(() => true);
      if (!(await Promise.race([ended, delay(1000, false)]))) await during(vscode.l10n.t('Handrail is at work…'), () => ended, stop);
      return await answer;
    } catch (err) {
      if (!stop.token.isCancellationRequested) this.explain(err);
      return undefined;
    }
  }

  /** The file of a card. */
  uri(path: string): vscode.Uri {
    if (!this.brain) throw new Refusal(notRunning(), 'no-brain');
    return vscode.Uri.joinPath(this.brain, path);
  }

  /** Shows a person what went wrong, with a way out. */
  explain(err: unknown): void {
    const message = err instanceof Error ? err.message : String(err);
    const code = err instanceof Refusal ? err.code : '';
    const harmless = ['nothing-to-undo', 'unknown-candidate', 'unknown-answer', 'held'];
    if (harmless.includes(code)) void vscode.window.showInformationMessage(plain(message));
    else if (code === 'no-brain')
      this.tell(message, { [vscode.l10n.t('Create Brain')]: () => vscode.commands.executeCommand('handrail.brain.create') });
    else this.tell(message, code === 'not-running' ? this.restartOrLog : this.showLog);
  }

  /** Shows an error with ways out, by what their buttons say. */
  private tell(message: string, ways: Record<string, () => unknown>): void {
    void vscode.window.showErrorMessage(plain(message), ...Object.keys(ways)).then((chosen) => chosen && ways[chosen]?.());
  }

  private readonly showLog = { [vscode.l10n.t('Show Log')]: () => this.log.show() };
  private readonly restartOrLog = { [vscode.l10n.t('Restart Server')]: () => this.restart(), ...this.showLog };

  /** Finds out where the brain is, then tells the views. */
  private async refresh(what: Changed): Promise<void> {
    try {
      const { uri, trusted, paused, folders = [] } = await this.send('handrail/brain', {}); // in the turn that others wait for
      this.brain = vscode.Uri.parse(uri);
      this.trusted = trusted;
      this.paused = paused !== undefined;
      this.places = vscode.workspace.getConfiguration('handrail').get('brain.path') ? [] : folders;
    } catch (err) {
      if (err instanceof Refusal && err.code === 'no-brain') this.brain = undefined;
      else this.log.warn(`brain: ${String(err)}`); // it is where it was
    }
    if (this.chosen && !this.place) {
      this.chosen = ''; // it is gone, or its folder is
      void this.restart();
    }
    await vscode.commands.executeCommand('setContext', 'handrail.brain', this.brain !== undefined);
    await vscode.commands.executeCommand('setContext', 'handrail.brains', this.places.length > 0);
    this.changes.fire(what);
  }

  /** For when-clauses: an empty view says why it is empty. */
  private async say(state: Client['state']): Promise<void> {
    this.state = state;
    await vscode.commands.executeCommand('setContext', 'handrail.server', state);
    if (state !== 'stopped') return;
    this.brain = undefined; // what the views show is nobody's any more
    await vscode.commands.executeCommand('setContext', 'handrail.brain', false);
    this.changes.fire({ cards: true, candidates: true });
  }

  private async crashed(): Promise<void> {
    this.client = undefined;
    await this.say('stopped');
    this.tell(vscode.l10n.t('Handrail’s server crashed three times and was left stopped. Your cards are safe.'), this.restartOrLog);
  }

  private async notStarted(err: unknown): Promise<void> {
    this.log.error(err instanceof Error ? err : String(err));
    await this.stop();
    await this.say('stopped');
    const settings = () => vscode.commands.executeCommand('workbench.action.openSettings', 'handrail.server.path');
    const message =
      err instanceof Refusal && err.code === 'no-program'
        ? vscode.l10n.t(
            'Handrail’s program was not found at {0}. Install it ({1}) or correct the setting handrail.server.path.',
            err.message,
            'https://github.com/handrail-dev/handrail#install',
          )
        : vscode.l10n.t('Handrail’s server did not start. Its log says why.');
    this.tell(message, { [vscode.l10n.t('Open Settings')]: settings, ...this.showLog });
  }

  private async stop(): Promise<void> {
    const client = this.client;
    this.client = undefined;
    if (client) await this.leave(client);
  }

  private async leave(client: LanguageClient): Promise<void> {
    try {
      await client.dispose();
    } catch (err) {
      this.log.warn(`the server did not end in order: ${String(err)}`);
    }
  }

  async dispose(): Promise<void> {
    await this.soon(() => this.stop());
    for (const d of [this.folders, this.footers, this.candidates, this.changes, this.log]) d.dispose();
  }
}

/** The name of a folder of the window, by its URI. */
export function nameOf(folder: string): string {
  const uri = vscode.Uri.parse(folder);
  return vscode.workspace.getWorkspaceFolder(uri)?.name ?? uri.path;
}

/** Whether two URIs, as different programs write them, are one. */
export function same(uri: string, other: vscode.Uri | undefined): boolean {
  return vscode.Uri.parse(uri).toString() === other?.toString();
}

const notRunning = () => vscode.l10n.t('Handrail’s server is not running.');
