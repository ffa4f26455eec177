// The model of a chat has read the conversation, so it writes the draft of a lesson: in passing, where the person
// may have said that something went wrong, or at a click. A draft counts only once a person makes it active.

import * as vscode from 'vscode';
import type { Actions } from './actions';
import type { Client } from './client';
import { Refusal } from './refusal';

/** What a model is told on a hint. */
export const invitation =
  '[HANDRAIL] If the person is saying that something fails again, or that you were wrong, also call lessons_draft with what went wrong, why, and how to check it next time. If not, ignore this line.';

/** What a model is told at a click. */
const wish =
  'Record a lesson from what went wrong in this conversation. Call lessons_draft with the mistake as title, the root cause (why it happened, not what happened), the solution, and one to five checklist items. Each item is one fact that can be checked next time. Write in the language of the conversation.';

/** How often a model may call the tool until its draft has what it needs. */
const rounds = 3;

/** Chats whose Record a Lesson can start from what was said. */
const remembered = 20;

const text = (description: string) => ({ type: 'string', description });

const tool: vscode.LanguageModelChatTool = {
  name: 'lessons_draft',
  description:
    'Writes the draft of a lesson card about a mistake that is worth remembering. It counts only once the person makes it active.',
  inputSchema: {
    type: 'object',
    properties: {
      title: text('the mistake in one line'),
      task: text('what was being done'),
      mistake: text('what went wrong, and what it could cost'),
      rootCause: text('why it happened'),
      solution: text('what put it right'),
      checklist: { type: 'array', items: { type: 'string' }, description: 'one to five facts to check next time, one an item' },
    },
    required: ['title', 'task', 'mistake', 'rootCause', 'solution', 'checklist'],
  },
};

/** What came of a call: the draft, or the card that says the same already. */
export interface Drafted {
  path: string;
  title: string;
  twin: boolean;
}

/** One conversation with a model. */
export interface Talk {
  sessionId: string;
  model: vscode.LanguageModelChat;
  messages: vscode.LanguageModelChatMessage[];
}

export class Drafts {
  private readonly talks = new Map<string, Talk>();

  constructor(
    private readonly client: Client,
    private readonly actions: Actions,
  ) {}

  /** Keeps a conversation for record. */
  remember(talk: Talk): void {
    this.talks.delete(talk.sessionId);
    this.talks.set(talk.sessionId, talk);
    for (const id of [...this.talks.keys()].slice(0, -remembered)) this.talks.delete(id);
  }

  /** Sends the messages of a talk with the tool; what the model says goes to say, what it drafts is returned. */
  async send(talk: Talk, say: (text: string) => void, token: vscode.CancellationToken, asked = false): Promise<Drafted | undefined> {
    const messages = [...talk.messages];
    const toolMode = asked ? vscode.LanguageModelChatToolMode.Required : vscode.LanguageModelChatToolMode.Auto;
    let made: Drafted | undefined;
    for (let round = 0; round < rounds; round++) {
      const { stream } = await talk.model.sendRequest(messages, { tools: [tool], toolMode }, token);
      const said: vscode.LanguageModelTextPart[] = [];
      const calls: vscode.LanguageModelToolCallPart[] = [];
      for await (const part of stream) {
        if (part instanceof vscode.LanguageModelToolCallPart) calls.push(part);
        if (!(part instanceof vscode.LanguageModelTextPart)) continue;
        said.push(part);
        say(part.value);
      }
      const results: vscode.LanguageModelToolResultPart[] = [];
      for (const call of calls) {
        const { answer, drafted } = await this.create(call.input as Record<string, unknown>, talk.sessionId, asked);
        made ??= drafted;
        results.push(new vscode.LanguageModelToolResultPart(call.callId, [new vscode.LanguageModelTextPart(answer)]));
      }
      if (calls.length === 0 || (asked && made)) break;
      messages.push(vscode.LanguageModelChatMessage.Assistant([...said, ...calls]), vscode.LanguageModelChatMessage.User(results));
    }
    return made;
  }

  /** Writes what a model drafted; the answer is for the model, also where it is refused. */
  private async create(input: Record<string, unknown>, sessionId: string, asked: boolean): Promise<{ answer: string; drafted?: Drafted }> {
    const word = (name: string) => (typeof input[name] === 'string' ? input[name] : '');
    const checklist = Array.isArray(input.checklist) ? input.checklist.filter((item) => typeof item === 'string') : [];
    const fields = { mistake: word('mistake'), rootCause: word('rootCause'), fix: word('solution'), checklist };
    const title = word('title');
    try {
      const about = { title, situation: word('task'), fields };
      const { path, duplicateOf } = await this.client.request('handrail/create', { ...about, auto: true, sessionId, asked });
      const answer = duplicateOf
        ? `The card ${duplicateOf.replace(/[^\p{L}\p{N} ._/-]/gu, '_')} says the same, so nothing was written.`
        : `Draft written: ${path}. The person is shown it.`;
      return { answer, drafted: { path, title, twin: duplicateOf !== undefined } };
    } catch (err) {
      if (err instanceof Refusal) return { answer: err.message };
      throw err;
    }
  }

  /** Has the model of a conversation draft its lesson and opens the draft; returns false where a person has to write it. */
  async record(sessionId: string): Promise<boolean> {
    const talk = this.talks.get(sessionId);
    if (!talk) return false;
    const messages = [...talk.messages, vscode.LanguageModelChatMessage.User(wish)];
    const location = vscode.ProgressLocation.Notification;
    const title = vscode.l10n.t('Drafting a lesson from the conversation…');
    let cancelled = false;
    const made = await vscode.window.withProgress({ location, title, cancellable: true }, async (_, token) => {
      try {
        return await this.send({ ...talk, messages }, () => undefined, token, true);
      } catch (err) {
        this.client.log.warn(`draft: ${String(err)}`); // such as a model without tools
        return undefined;
      } finally {
        cancelled = token.isCancellationRequested;
      }
    });
    if (!made) return cancelled;
    if (made.twin) return this.actions.offerUpdate(made.path);
    await this.actions.open(made.path);
    return true;
  }
}
