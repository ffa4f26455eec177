// The model of a chat has read the conversation, so it writes the draft of a lesson: in passing, where the person
// may have said that something went wrong, or at a click. A draft counts only once a person makes it active.

import * as vscode from 'vscode';
import { during, tell } from './ask';
import type { Actions } from './actions';
import type { Client } from './client';
import { Refusal } from './refusal';

/** What a model is told on a hint. */
export const invitation =
  '[HANDRAIL] If the person is saying that something fails again, or that you were wrong, also call lessons_draft with what went wrong, why, and how to check it next time. If not, ignore this line.';

/** What a model is told at a click. */
const wish =
  'Record a lesson from what went wrong in this conversation. Call lessons_draft with the mistake as title, the root cause (why it happened, not what happened), the solution, and one to five checklist items. Each item is one fact that can be checked next time. Write in the language of the conversation.';

/** What a model is told of a card that follows. */
const gap =
  'This card about a mistake says too little. Call lessons_fill with why it happened, what puts it right, and one to five checklist items. Claim nothing that the card does not bear out, and write in its language. The card:';

/** How often a model may call tools before an answer, until its draft has what it needs. */
const rounds = 10;

/** Chats whose Record a Lesson can start from what was said. */
const remembered = 20;

const text = (description: string) => ({ type: 'string', description });

const properties = {
  title: text('the rule or the mistake in 4 to 14 words, such as: Never start the dev server: say what to run; no area'),
  task: text('what was being done'),
  mistake: text('what went wrong, and what it could cost'),
  rootCause: text('why it happened'),
  solution: text('what put it right'),
  checklist: {
    type: 'array',
    items: { type: 'string' },
    description:
      "one to five facts to check next time, one an item. Below an item that one line of code, or one command, breaks, a pattern (RE2) says so:\n```check\nforbid: 'the wrong line' (or command: 'the wrong command')\nmatches: ['what it matches']\npasses: ['what it must not match']\n```",
  },
};

const tool: vscode.LanguageModelChatTool = {
  name: 'lessons_draft',
  description:
    'Writes the draft of a lesson card about a mistake that is worth remembering. It counts only once the person makes it active.',
  inputSchema: { type: 'object', properties, required: Object.keys(properties) },
};

const { rootCause, solution, checklist } = properties;
const filler: vscode.LanguageModelChatTool = {
  name: 'lessons_fill',
  description: 'Suggests what a card lacks. The person sees it before it is taken.',
  inputSchema: { type: 'object', properties: { rootCause, solution, checklist }, required: ['rootCause', 'checklist'] },
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
  /** Tools of others that the person named, and in whose name they run. */
  tools?: readonly vscode.LanguageModelChatTool[];
  host?: vscode.ChatParticipantToolToken;
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

  /** Sends the messages of a talk; what the model says goes to say, what it drafts where it may, or must, is returned. */
  async send(
    talk: Talk,
    say: (text: string) => void,
    token: vscode.CancellationToken,
    drafts?: 'may' | 'must',
  ): Promise<Drafted | undefined> {
    const messages = [...talk.messages];
    const { Auto, Required } = vscode.LanguageModelChatToolMode;
    const tools = [...(drafts ? [tool] : []), ...(talk.tools ?? [])];
    const options = tools.length > 0 ? { tools, toolMode: drafts === 'must' ? Required : Auto } : {};
    let made: Drafted | undefined;
    for (let round = 0; round < rounds; round++) {
      const { stream } = await talk.model.sendRequest(messages, options, token);
      const said: vscode.LanguageModelTextPart[] = [];
      const calls: vscode.LanguageModelToolCallPart[] = [];
      for await (const part of stream) {
        if (part instanceof vscode.LanguageModelToolCallPart) calls.push(part);
        if (!(part instanceof vscode.LanguageModelTextPart)) continue;
        said.push(part);
        say(part.value);
      }
      const results: vscode.LanguageModelToolResultPart[] = [];
      for (const { callId, name, input } of calls) {
        if (name !== tool.name) {
          const { content } = await vscode.lm.invokeTool(name, { input, toolInvocationToken: talk.host }, token);
          results.push(new vscode.LanguageModelToolResultPart(callId, content));
          continue;
        }
        const { answer, drafted } = await this.create(input, talk.sessionId, drafts === 'must');
        made ??= drafted;
        results.push(new vscode.LanguageModelToolResultPart(callId, [new vscode.LanguageModelTextPart(answer)]));
      }
      if (calls.length === 0 || (drafts === 'must' && made)) break;
      messages.push(vscode.LanguageModelChatMessage.Assistant([...said, ...calls]), vscode.LanguageModelChatMessage.User(results));
    }
    return made;
  }

  /** Writes what a model drafted; the answer is for the model, also where it is refused. */
  private async create(input: object, sessionId: string, asked: boolean): Promise<{ answer: string; drafted?: Drafted }> {
    const { title, situation, fields } = wordsOf(input);
    try {
      const about = { title, situation, fields };
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
    const { made, cancelled } = await this.during(vscode.l10n.t('Drafting a lesson from the conversation…'), (token) =>
      this.send({ ...talk, messages }, () => undefined, token, 'must'),
    );
    if (!made) return cancelled;
    if (made.twin) return this.actions.offerUpdate(made.path);
    await this.actions.open(made.path);
    return true;
  }

  /** Has a model suggest what the card in an editor lacks. The person confirms it, and nothing is saved. */
  async suggest(uri: string): Promise<void> {
    const [model] = await vscode.lm.selectChatModels();
    if (!model) return tell(vscode.l10n.t('There is no language model to ask.'));
    const card = (await vscode.workspace.openTextDocument(vscode.Uri.parse(uri))).getText();
    const messages = [vscode.LanguageModelChatMessage.User(`${gap}\n\n${card}`)];
    const { made, cancelled } = await this.during(vscode.l10n.t('Asking {0}…', model.name), async (token) => {
      const toolMode = vscode.LanguageModelChatToolMode.Required;
      const { stream } = await model.sendRequest(messages, { tools: [filler], toolMode }, token);
      for await (const part of stream) if (part instanceof vscode.LanguageModelToolCallPart) return wordsOf(part.input);
      return undefined;
    });
    if (made) await this.client.ask('handrail/fill', { uri, by: model.name, ...made.fields });
    else if (!cancelled) tell(vscode.l10n.t('{0} suggested nothing.', model.name));
  }

  /** Shows that a model is asked. It may fail, as one without tools does. */
  private async during<T>(title: string, ask: (token: vscode.CancellationToken) => Promise<T>): Promise<{ made?: T; cancelled: boolean }> {
    const stop = new vscode.CancellationTokenSource();
    try {
      return { made: await during(title, () => ask(stop.token), stop), cancelled: false };
    } catch (err) {
      this.client.log.warn(`${title} ${String(err)}`);
      return { cancelled: stop.token.isCancellationRequested };
    }
  }
}

/** What a model says of a card. */
function wordsOf(call: object) {
  const input = call as Record<string, unknown>;
  const word = (name: string) => (typeof input[name] === 'string' ? input[name] : '');
  const items = Array.isArray(input.checklist) ? input.checklist.filter((item) => typeof item === 'string') : [];
  const fields = { mistake: word('mistake'), rootCause: word('rootCause'), fix: word('solution'), checklist: items };
  return { title: word('title'), situation: word('task'), fields };
}
