// One story across surfaces: an agent in a terminal (a script that says what Claude Code says to its hooks) and VS Code
// beside it, on one brain.

import { expect, test } from 'vitest';
import { useWorkbench } from './lib/vitest';
import { bot, demoBrain, program, vsix } from './stage';

const wb = useWorkbench({
  workspace: { ...demoBrain(), ...bot },
  extensions: [vsix],
  git: true,
  settings: { 'editor.autoIndent': 'none' },
});

/** What the agent gets for one of its events. */
function hook(event: string, more: Record<string, unknown>): string {
  const payload = { session_id: 'terminal', permission_mode: 'default', cwd: wb.workspace, hook_event_name: event, ...more };
  return wb.exec(program, ['hook', '--within', '20s'], JSON.stringify(payload));
}
const bash = { tool_name: 'Bash', tool_input: { command: 'go test ./...' } };

test('the agent gets the card, and the answer that forgets an item shows here', async () => {
  await wb.activity('Handrail').open();
  await expect.poll(() => wb.view('Lessons').labels()).toContain('Lessons');
  const prompt = 'add a telegram command that restarts the server';
  expect(hook('UserPromptSubmit', { prompt })).toContain('[ACTIVE LESSONS');
  expect(hook('UserPromptSubmit', { prompt })).toBe(''); // told twice, one block
  // The code is changed and no test with it, whatever the answer tells.
  const file = wb.file('bot/dispatch.go');
  const structuredPatch = [{ oldStart: 1, oldLines: 0, newStart: 1, newLines: 1, lines: ['+func restart() {}'] }];
  hook('PostToolUse', {
    tool_name: 'Edit',
    tool_use_id: '0',
    tool_input: { file_path: file },
    tool_response: { filePath: file, structuredPatch },
  });
  const last_assistant_message =
    'The new /restart handler looks the chat id up in the allowlist before any command runs, and a test sends the command from a chat that is not on the list.';
  expect(hook('Stop', { last_assistant_message })).toContain('systemMessage');
  await expect.poll(() => wb.statusBar('handrail.footer').text()).toBe('1 ⚠1');
  await expect.poll(() => wb.view('Last Answer').labels()).toContain('Open: A test sends the command from a chat that is not on the list');
});

test('what the agent mended becomes a card that the next request gets', async () => {
  const failure = '--- FAIL: TestLimited (0.00s)\n    limit_test.go:7: the fourth message is not limited\nFAIL';
  hook('PostToolUseFailure', { ...bash, tool_use_id: '1', error: `Exit code 1\n${failure}` });
  hook('PostToolUse', { tool_name: 'Edit', tool_use_id: '2', tool_input: { file_path: wb.file('limit.go') }, tool_response: {} });
  hook('PostToolUse', { ...bash, tool_use_id: '3', tool_response: { stdout: 'ok  \texample.com/bot\t0.1s\n', stderr: '' } });
  await expect.poll(() => wb.view('Candidates').labels()).toEqual(['Tests failed, then passed: TestLimited']);
  await wb.view('Candidates').inlineAction('Tests failed, then passed: TestLimited', 'Record Candidate');
  await wb.editor.opened('tests-failed-then-passed-testlimited.md');
  await wb.editor.selected();
  await wb.page.keyboard.type('The fourth message of a chat was not limited');
  await wb.editor.save();
  const draft = wb.read('.brain/drafts/tests-failed-then-passed-testlimited.md');
  await wb.editor.focus();
  await wb.page.keyboard.press('Control+a');
  await wb.editor.insert(
    draft
      .replace(/(## Root Cause\n\n).*/, '$1The limit was counted per process, and the bot runs two.')
      .replace(/(## Prevention Checklist\n\n).*/, '$1- [ ] The message counter lives in Redis, not in the process'),
  );
  const card = '.brain/lessons/the-fourth-message-of-a-chat-was-not-limited.md';
  await wb.editor.saveUntil(() => wb.exists(card), 'the draft to become a card');
  let ask = 0; // another session each time: a prompt that is told twice gets no second block
  const prompt = 'the fourth message of a chat is not limited';
  await expect
    .poll(() => hook('UserPromptSubmit', { prompt, session_id: `later ${ask++}` }))
    .toContain('The message counter lives in Redis');
});
