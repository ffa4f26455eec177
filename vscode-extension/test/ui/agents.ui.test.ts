// Agents of the window: the MCP server that VS Code starts, and the language model tool. Then one in a terminal beside it
// (a script that says what Claude Code says to its hooks), on the same brain.

import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { useWorkbench } from './lib/vitest';
import { bot, demoBrain, program, vsix } from './stage';

const telegram = 'Telegram remote execution must require allowlist';
const restart = { query: 'add a telegram command that restarts the server' };

const wb = useWorkbench({
  workspace: { ...demoBrain(), ...bot },
  extensions: [vsix],
  model: true,
  git: true,
  settings: { 'editor.autoIndent': 'none' },
});

describe('agents of the window', () => {
  const ofMcp = () =>
    wb.tools().then((names) => names.filter((n) => /^mcp_.*lessons_/.test(n)).map((n) => n.replace(/^mcp_.*(?=lessons_)/, '')));

  test('have the lessons as a tool', async () => {
    await wb.activity('Handrail').open();
    await expect.poll(() => wb.view('Lessons').labels()).toContain('Lessons');
    expect(await wb.tools()).toContain('handrail_preflight');
    const text = await wb.callTool('handrail_preflight', restart);
    expect(text).toMatch(/^\[ACTIVE LESSONS — verify before finalizing\]\n1\. Telegram remote execution/);
    expect(await wb.callTool('handrail_preflight', { query: 'where do penguins live?' })).toBe('No lesson speaks to this request.');
    await expect(wb.callTool('handrail_preflight', { query: 1 })).rejects.toThrow();
  });

  test('find the server among those of VS Code', async () => {
    await wb.run('MCP: List Servers');
    await wb.quickInput.opened();
    await expect.poll(() => wb.quickInput.items().then((items) => items.map((i) => i.label))).toContain('Handrail');
    await wb.screenshot('en/mcp-servers');
    await wb.quickInput.pick('Handrail');
    await wb.quickInput.opened();
    await wb.screenshot('en/mcp-server');
    await wb.quickInput.pick('Start Server');
  });

  test('have its tools once it runs', async () => {
    await expect.poll(ofMcp, { timeout: 30_000 }).toHaveLength(6);
    const [name] = (await wb.tools()).filter((n) => n.endsWith('lessons_preflight'));
    expect(await wb.callTool(name!, restart)).toContain(telegram);
  });

  test('get them from @handrail where a person names them, and no others', async () => {
    const [name] = (await wb.tools()).filter((n) => n.endsWith('lessons_preflight'));
    wb.modelAnswers('The allowlist comes first.');
    wb.modelCalls(name!, restart);
    await wb.chat.open();
    await wb.chat.ask('@handrail where do penguins live?');
    expect(wb.modelRequests().at(-1)!.tools).toEqual([]);
    const said = await wb.chat.ask('@handrail what does #lessons_preflight say of a restart?');
    expect(said.text).toContain('The allowlist comes first.');
    const [offered, told] = wb.modelRequests().slice(-2);
    expect(offered!.tools).toEqual([name]);
    expect(told!.messages.at(-1)!.text).toContain(telegram);
  });

  test('are all set up in one step, and the loop is tried', async () => {
    fs.mkdirSync(path.join(wb.dir, 'home', '.gemini'), { recursive: true });
    await wb.run('Handrail: Get Started…');
    expect((await wb.dialog()).message).toBe('Handrail makes these changes. A copy of each file is kept.');
    await expect.poll(() => wb.editor.text()).toContain('AfterAgent');
    await (await wb.dialog()).click('Make These Changes');
    await wb.notification('Tried it: a prompt got its lesson').appears();
    expect(fs.readFileSync(path.join(wb.dir, 'home', '.gemini', 'settings.json'), 'utf8')).toContain('handrail');
  });
});

describe('an agent in a terminal', () => {
  /** What the agent gets for one of its events. */
  function hook(event: string, more: Record<string, unknown>): string {
    const payload = { session_id: 'terminal', permission_mode: 'default', cwd: wb.workspace, hook_event_name: event, ...more };
    return wb.exec(program, ['hook', '--within', '20s'], JSON.stringify(payload));
  }
  const bash = { tool_name: 'Bash', tool_input: { command: 'go test ./...' } };

  test('gets the card, and the answer that forgets an item shows here', async () => {
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
    await expect
      .poll(() => wb.view('Last Answer').labels())
      .toContain('Open: A test sends the command from a chat that is not on the list');
  });

  test('mends what becomes a card that the next request gets', async () => {
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
});
