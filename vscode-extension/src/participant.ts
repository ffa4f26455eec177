// The chat participant @handrail: the lessons go before the question, the answer is checked
// afterwards. It works on the text of its own turns, and nothing it does keeps an answer away.

import { randomUUID } from 'node:crypto';
import * as vscode from 'vscode';
import { Refusal, type Client } from './client';
import { footerList } from './footer';
import { project } from './model';
import type { Candidate, Footer, Preflight } from './protocol.gen';
import { escapeMarkdown, triggerName } from './text';

/** Characters of one attached file that the model gets. */
const ATTACHED = 20_000;

interface Metadata {
  sessionId: string;
}

export function participant(client: Client): vscode.Disposable {
  const made = vscode.chat.createChatParticipant('handrail.memory', (request, context, stream, token) =>
    new Turn(client, request, context, stream, token).run(),
  );
  made.iconPath = new vscode.ThemeIcon('mortar-board');
  return made;
}

class Turn {
  private readonly sessionId: string;
  private readonly files: string[];

  constructor(
    private readonly client: Client,
    private readonly request: vscode.ChatRequest,
    private readonly context: vscode.ChatContext,
    private readonly stream: vscode.ChatResponseStream,
    private readonly token: vscode.CancellationToken,
  ) {
    const before = context.history.findLast((turn) => turn instanceof vscode.ChatResponseTurn);
    this.sessionId = (before?.result.metadata as Metadata | undefined)?.sessionId ?? randomUUID();
    this.files = request.references.flatMap(({ value }) => fileOf(value) ?? []).map((uri) => uri.toString());
  }

  async run(): Promise<vscode.ChatResult> {
    const { prompt } = this.request;
    const about = { sessionId: this.sessionId, files: this.files };
    const reported = await this.attempt(this.client.request('handrail/report', { kind: 'message', text: prompt, ...about }));
    const here = project(fileOf(this.request.references[0]?.value));
    const params = { query: prompt, ...about, ...(here && { project: here }) };
    const flight = await this.attempt(this.client.request('handrail/preflight', params, this.token));
    for (const hit of flight?.lessons ?? []) this.stream.reference(this.client.uri(hit.path));
    const answer = await this.answer(flight);
    if (flight?.answerId && answer) {
      const footer = await this.attempt(this.client.request('handrail/postcheck', { answerId: flight.answerId, answer }));
      if (footer) this.footer(footer);
    }
    if (reported?.candidate) this.candidate(reported.candidate);
    return { metadata: { sessionId: this.sessionId } satisfies Metadata };
  }

  /** What fails here is said once, and the answer goes on without it. */
  private async attempt<T>(asked: Promise<T>): Promise<T | undefined> {
    try {
      return await asked;
    } catch (err) {
      this.client.log.warn(`chat: ${String(err)}`);
      if (err instanceof Refusal && err.code !== 'no-brain') this.stream.progress(err.message);
      return undefined;
    }
  }

  /** Streams the model's answer and returns its text. */
  private async answer(flight: Preflight | undefined): Promise<string> {
    const messages = [...(await this.history()), vscode.LanguageModelChatMessage.User(question(flight, this.request.prompt))];
    const response = await this.request.model.sendRequest(messages, {}, this.token);
    let text = '';
    for await (const piece of response.text) {
      this.stream.markdown(piece);
      text += piece;
    }
    return text;
  }

  private async history(): Promise<vscode.LanguageModelChatMessage[]> {
    const said = this.context.history.map((turn) => {
      if (turn instanceof vscode.ChatRequestTurn) return vscode.LanguageModelChatMessage.User(turn.prompt);
      const text = turn.response.map((part) => (part instanceof vscode.ChatResponseMarkdownPart ? part.value.value : '')).join('');
      return vscode.LanguageModelChatMessage.Assistant(text);
    });
    const attached = await Promise.all(this.request.references.map(({ value }) => textOf(value)));
    return [...said, ...attached.filter((text) => text !== '').map((text) => vscode.LanguageModelChatMessage.User(text))];
  }

  private footer(footer: Footer): void {
    if (footer.lessons.length === 0) return;
    const list = footerList(footer);
    list.value = `\n\n---\n\n${vscode.l10n.t('Lessons in this answer: {0}', footer.lessons.length)}${list.value}\n\n`;
    this.stream.markdown(list);
    this.stream.button({ command: 'handrail.lesson.manage', title: vscode.l10n.t('Manage Lessons') });
    this.stream.button({ command: 'handrail.lesson.create', title: vscode.l10n.t('Record a Lesson') });
  }

  private candidate(c: Candidate): void {
    this.stream.markdown(`\n\n${triggerName(c)}: ${escapeMarkdown(c.title)}\n\n`);
    this.stream.button({ command: 'handrail.lesson.recordCandidate', title: vscode.l10n.t('Record This'), arguments: [c.id] });
    this.stream.button({ command: 'handrail.candidate.dismiss', title: vscode.l10n.t('Dismiss'), arguments: [c.id] });
  }
}

/** The block stands before the question, excerpts of notes between them. */
export function question(flight: Pick<Preflight, 'block' | 'context'> | undefined, prompt: string): string {
  return [flight?.block, flight?.context, prompt].filter(Boolean).join('\n\n');
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
    return `${vscode.workspace.asRelativePath(uri)}:\n\`\`\`${document.languageId}\n${text}\n\`\`\``;
  } catch {
    return ''; // a folder or a binary file
  }
}
