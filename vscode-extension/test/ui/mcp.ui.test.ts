// Agents of the window: the MCP server that VS Code starts, and the language model tool.

import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { useWorkbench } from './lib/vitest';
import { demoBrain, vsix } from './stage';

const telegram = 'Telegram remote execution must require allowlist';
const restart = { query: 'add a telegram command that restarts the server' };

describe('agents of the window', () => {
  const wb = useWorkbench({ workspace: demoBrain(), extensions: [vsix], model: true, git: true });
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
