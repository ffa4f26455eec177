// The chat participant @handrail: the lessons go before the question, the answer is checked
// afterwards. It works on the text of its own turns, and nothing it does keeps an answer away.

import { randomUUID } from 'node:crypto';
import * as vscode from 'vscode';
import type { Client } from './client';
import { invitation, type Drafted, type Drafts, type Talk } from './draft';
import { footerList } from './footer';
import type { Model } from './model';
import type { Footer, Methods, Preflight } from './protocol.gen';
import { Refusal } from './refusal';
import { escapeMarkdown, quoted } from './text';

/** Characters of one attached file that the model gets. */
const ATTACHED = 20_000;

/** Milliseconds that an answer waits for Handrail, before and after. */
const PATIENCE = 2000;

/** What a turn leaves for the next one: the model's own words, without our footer. */
interface Metadata {
  sessionId: string;
  answer: string;
  open: string[]; // items of the checklists
}

export function participant(model: Model, drafts: Drafts, extension: vscode.Uri): vscode.Disposable {
  const made = vscode.chat.createChatParticipant('handrail.memory', (request, context, stream, token) => {
    model.client.turns++;
    return new Turn(model, drafts, request, context, stream, token).run().finally(() => model.client.turns--);
  });
  const icon = (theme: string) => vscode.Uri.joinPath(extension, 'media', `handrail-${theme}.svg`);
  made.iconPath = { light: icon('light'), dark: icon('dark') };
  made.followupProvider = {
    provideFollowups: ({ metadata }) => {
      const { open } = metadata as Metadata;
      if (open.length === 0) return [];
      const label = vscode.l10n.t('Address what is open');
      return [{ label, prompt: `${label}:\n${open.map((item) => `- ${item}`).join('\n')}` }];
    },
  };
  return made;
}

class Turn {
  private readonly sessionId: string;
  private readonly files: string[];
  private readonly client: Client;
  private told = false;

  constructor(
    private readonly model: Model,
    private readonly drafts: Drafts,
    private readonly request: vscode.ChatRequest,
    private readonly context: vscode.ChatContext,
    private readonly stream: vscode.ChatResponseStream,
    private readonly token: vscode.CancellationToken,
  ) {
    this.client = model.client;
    const before = context.history.findLast((turn) => turn instanceof vscode.ChatResponseTurn);
    this.sessionId = (before?.result.metadata as Metadata | undefined)?.sessionId ?? randomUUID();
    this.files = request.references.flatMap(({ value }) => fileOf(value) ?? []).map((uri) => uri.toString());
  }

  async run(): Promise<vscode.ChatResult> {
    const { prompt, command } = this.request;
    const result: vscode.ChatResult & { metadata: Metadata } = { metadata: { sessionId: this.sessionId, answer: '', open: [] } };
    if (command === 'record') {
      await vscode.commands.executeCommand('handrail.lesson.create', this.sessionId);
      return result;
    }
    const about = { sessionId: this.sessionId, files: this.files };
    const here = this.model.projectOf(fileOf(this.request.references[0]?.value));
    const [reported, flight] = await Promise.all([
      this.attempt('handrail/report', { kind: 'message', text: prompt, ...about }),
      this.attempt('handrail/preflight', { query: prompt, ...about, ...(here && { project: here }) }),
    ]);
    // While the server starts it may answer before the client knows where the brain is.
    for (const hit of this.client.brain ? (flight?.lessons ?? []) : []) this.stream.reference(this.client.uri(hit.path));
    let drafted: Drafted | undefined;
    try {
      drafted = await this.answer(flight, result.metadata, reported?.hint ?? false);
    } catch (err) {
      if (this.token.isCancellationRequested) return result;
      Object.assign(result, { errorDetails: { message: err instanceof Error ? err.message : String(err) } });
    }
    const { answer } = result.metadata;
    if (flight?.answerId && answer && !result.errorDetails && !this.token.isCancellationRequested) {
      const footer = await this.attempt('handrail/postcheck', { answerId: flight.answerId, answer });
      if (footer) this.footer(footer);
      result.metadata.open = footer?.unaddressed.map((v) => v.item) ?? [];
    }
    if (drafted && !drafted.twin) this.drafted(drafted);
    return result;
  }

  /** What fails here is said once, and the answer goes on without it. */
  private async attempt<M extends keyof Methods>(method: M, params: Methods[M]['params']): Promise<Methods[M]['result'] | undefined> {
    try {
      return await this.client.soonOrNever(method, params, PATIENCE);
    } catch (err) {
      this.client.log.warn(`chat: ${String(err)}`);
      const missing = err instanceof Refusal && err.code === 'no-brain';
      const known = method === 'handrail/report' || this.context.history.length > 0; // a person's own brain may answer the other
      if (!(err instanceof Refusal) || this.told || (missing && known)) return undefined;
      this.told = true;
      const none = vscode.l10n.t('This workspace has no brain: no lesson goes before your question.');
      this.stream.markdown(`⚠ ${missing ? none : escapeMarkdown(err.message)}\n\n`); // a line of progress folds away
      if (missing) this.stream.button({ command: 'handrail.brain.create', title: vscode.l10n.t('Create Brain') });
      return undefined;
    }
  }

  /** Streams the model's answer and keeps its text. On a hint the model may draft a lesson on the way. */
  private async answer(flight: Preflight | undefined, kept: Metadata, hint: boolean): Promise<Drafted | undefined> {
    const before = await this.history();
    const { model, prompt } = this.request;
    const named = this.request.toolReferences.flatMap(({ name }) => vscode.lm.tools.find((t) => t.name === name) ?? []);
    const tools = named.map(({ name, description, inputSchema }) => ({ name, description, inputSchema: inputSchema ?? {} }));
    const talk = (...messages: vscode.LanguageModelChatMessage[]): Talk => ({ sessionId: this.sessionId, model, messages });
    const asked = (text: string) => vscode.LanguageModelChatMessage.User(question(flight, text));
    const say = (piece: string) => {
      this.stream.markdown(piece);
      kept.answer += piece;
    };
    const send = (text: string, drafts?: 'may') =>
      this.drafts.send({ ...talk(...before, asked(text)), tools, host: this.request.toolInvocationToken }, say, this.token, drafts);
    let drafted: Drafted | undefined;
    try {
      drafted = await send(hint ? `${invitation}\n\n${prompt}` : prompt, hint ? 'may' : undefined);
    } catch (err) {
      if (!hint || kept.answer || this.token.isCancellationRequested) throw err;
      this.client.log.warn(`chat: ${String(err)}`); // a model without tools answers as ever
      await send(prompt);
    }
    this.drafts.remember(talk(...before, asked(prompt), vscode.LanguageModelChatMessage.Assistant(kept.answer)));
    return drafted;
  }

  private async history(): Promise<vscode.LanguageModelChatMessage[]> {
    const said = this.context.history.flatMap((turn) => {
      if (turn instanceof vscode.ChatRequestTurn) return turn.command ? [] : vscode.LanguageModelChatMessage.User(turn.prompt);
      const parts = turn.response.map((part) => (part instanceof vscode.ChatResponseMarkdownPart ? part.value.value : ''));
      const text = (turn.result.metadata as Metadata | undefined)?.answer ?? parts.join(''); // another participant leaves none
      return text ? vscode.LanguageModelChatMessage.Assistant(text) : [];
    });
    const attached = await Promise.all(this.request.references.map(({ value }) => textOf(value)));
    return [...said, ...attached.filter((text) => text !== '').map((text) => vscode.LanguageModelChatMessage.User(text))];
  }

  private footer(footer: Footer): void {
    if (footer.lessons.length === 0) return;
    const tokens = footer.tokens ? ` · ${vscode.l10n.t('{0} tokens', footer.tokens)}` : '';
    const head = `\n\n---\n\n${vscode.l10n.t('Lessons in this answer: {0}', footer.lessons.length)}${tokens}`;
    const list = footerList(head, footer, this.sessionId);
    list.value += '\n\n';
    this.stream.markdown(list);
  }

  private drafted({ path, title }: Drafted): void {
    this.stream.markdown(`\n\n${vscode.l10n.t('The model drafted a lesson')}: ${escapeMarkdown(title)}\n\n`);
    this.stream.button({ command: 'handrail.lesson.open', title: vscode.l10n.t('Open Draft'), arguments: [path] });
  }
}

/** Titles and the block stand before the question, excerpts of notes between them. */
export function question(flight: Pick<Preflight, 'titles' | 'block' | 'context'> | undefined, prompt: string): string {
  return [flight?.titles, flight?.block, flight?.context, prompt].filter(Boolean).join('\n\n');
}

function fileOf(value: unknown): vscode.Uri | undefined {
  if (value instanceof vscode.Uri) return value;
  return value instanceof vscode.Location ? value.uri : undefined;
}

/** The text of an attachment, '' when it has none. */
async function textOf(value: unknown): Promise<string> {
  if (typeof value === 'string') return value.slice(0, ATTACHED);
  const uri = fileOf(value);
  if (!uri) return '';
  try {
    const document = await vscode.workspace.openTextDocument(uri);
    const text = document.getText(value instanceof vscode.Location ? value.range : undefined).slice(0, ATTACHED);
    return `${vscode.workspace.asRelativePath(uri)}:\n${quoted(text, document.languageId)}`;
  } catch {
    return ''; // a folder or a binary file
  }
}
