import { expect, it, vi } from 'vitest';
import * as vscode from 'vscode';
import type { Actions } from '../../src/actions';
import type { Client } from '../../src/client';
import { Drafts, type Talk } from '../../src/draft';

it('runs the tools that a person named in the name of their request, and gives the model what they say', async () => {
  const result = [new vscode.LanguageModelTextPart('three files')];
  const run = vi.spyOn(vscode.lm, 'invokeTool').mockResolvedValue({ content: result });
  const asked: { messages: unknown[]; options: unknown }[] = [];
  const parts = [
    [new vscode.LanguageModelToolCallPart('1', 'search', { query: 'x' })],
    [new vscode.LanguageModelTextPart('There are three.')],
  ];
  const model = {
    sendRequest: (messages: unknown[], options: unknown) => {
      const said = parts[asked.push({ messages: [...messages], options }) - 1] ?? [];
      return Promise.resolve({ stream: said });
    },
  };
  const tools = [{ name: 'search', description: 'finds files', inputSchema: {} }];
  const talk = { sessionId: 's', model, messages: [], tools, host: 'the request' } as unknown as Talk;
  let answer = '';
  const none = {} as vscode.CancellationToken;
  await new Drafts({} as Client, {} as Actions).send(talk, (text) => (answer += text), none);
  expect(run.mock.calls).toEqual([['search', { input: { query: 'x' }, toolInvocationToken: 'the request' }, none]]);
  expect(asked.map(({ options }) => options)).toEqual([
    { tools, toolMode: 1 },
    { tools, toolMode: 1 },
  ]);
  expect(asked[1]?.messages.at(-1)).toEqual({ content: [new vscode.LanguageModelToolResultPart('1', result)] });
  expect(answer).toBe('There are three.');
});
