// A folder that the person has not vouched for: its cards can be read and written, none of them reaches a model.

import { expect, test } from 'vitest';
import { useWorkbench } from './lib/vitest';
import { demoBrain, vsix } from './stage';

// The setting comes into force with the trust, so that two reasons to start the server anew coincide.
const settings = { '.vscode/settings.json': '{ "handrail.brain.path": ".brain" }' };
const wb = useWorkbench({ workspace: { ...demoBrain(), ...settings }, extensions: [vsix], model: true, git: true, trust: 'restricted' });
const question = '@handrail add a telegram command that restarts the server';
const asked = () => wb.modelRequests().at(-1)!.messages.at(-1)!.text;
const servers = async () => {
  await wb.run('MCP: List Servers');
  await wb.quickInput.opened();
  const items = await wb.quickInput.items();
  await wb.quickInput.hide();
  return items.map((i) => i.label);
};

test('no card goes before a question, and nothing raises a candidate', async () => {
  wb.modelAnswers('Done.');
  await wb.activity('Handrail').open();
  await expect.poll(() => wb.view('Lessons').labels()).toContain('Telegram remote execution must require allowlist');
  expect(await wb.callApi('preflight', [{ query: 'add a telegram command that restarts the server' }])).toMatchObject({
    block: '',
    lessons: [],
  });
  expect(await wb.callApi('report', [{ kind: 'message', text: '또 안 돼요, 어제 고친 건데' }])).toEqual({});
  await expect(wb.callTool('handrail_preflight', { query: 'add a telegram command that restarts the server' })).rejects.toThrow();
  expect(await servers()).not.toContain('Handrail');
  expect(await wb.commands('Handrail:')).not.toContain('Handrail: Check Answer Against Lessons');
});

test('cards can be written', async () => {
  const token = 'Access tokens ended up in the request log';
  await wb.view('Lessons').menuAction(token, 'Put Away for Everybody…');
  await wb.quickInput.pick('Done with it');
  await expect.poll(() => wb.read('.brain/lessons/token-in-log.md')).toContain('status: archived');
  await wb.notification(`“${token}”: put away`).dismiss();
});

test('trust turns the rest on without a reload', async () => {
  await wb.trust();
  await expect
    .poll(() => wb.callApi('preflight', [{ query: 'add a telegram command that restarts the server' }]))
    .toMatchObject({ lessons: [{ path: 'lessons/telegram-allowlist.md' }] });
  expect(await wb.callTool('handrail_preflight', { query: 'add a telegram command that restarts the server' })).toContain(
    '[ACTIVE LESSONS',
  );
  await expect.poll(servers).toContain('Handrail');
  await wb.chat.open();
  await wb.chat.ask(question);
  expect(asked()).toContain('[ACTIVE LESSONS');
  expect(wb.processes('handrail lsp')).toHaveLength(1);
  expect(await wb.notifications()).toEqual([]);
});
