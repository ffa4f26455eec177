// The first day in a project with a past: from no brain to a request that gets what was kept.

import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { useWorkbench } from './lib/vitest';
import { program, vsix } from './stage';

const wb = useWorkbench({
  workspace: { 'README.md': '# Shop\n' },
  extensions: [vsix],
  git: true,
  settings: { 'editor.autoIndent': 'none' },
});
const candidates = () => wb.view('Candidates');

/** What Claude Code left of a conversation, in which a person said these things. */
function past(id: string, day: string, ...said: string[]): void {
  const rows = said.map((content, i) => ({
    type: 'user',
    message: { role: 'user', content },
    timestamp: `${day}T09:0${i}:00.000Z`,
    cwd: wb.workspace,
    sessionId: id,
  }));
  const file = path.join(wb.dir, 'home', '.claude', 'projects', '-shop', `${id}.jsonl`);
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, rows.map((row) => JSON.stringify(row) + '\n').join(''));
}

const kept = ['never edit files under dist by hand', 'never round prices in the total'];

test('the brain begins with what went wrong before', async () => {
  past('one', '2026-03-02', 'add a page', `From now on, ${kept[0]}.`);
  past('two', '2026-03-09', 'add a price', `From now on, ${kept[1]}.`);
  await wb.activity('Handrail').open();
  await wb.run('Handrail: Get Started…');
  await (await wb.dialog()).click('Make These Changes');
  await wb.notification('Tried it').click('Find Lessons in This Project');
  await wb.notification('Past mistakes to look at: 2').dismiss();
  await expect
    .poll(() =>
      candidates()
        .labels()
        .then((all) => all.sort()),
    )
    .toEqual([...kept].sort());
});

test('and the first request is told of the two that were kept', async () => {
  for (const title of kept) {
    const name = `${title.toLowerCase().replace(/[^a-z]+/g, '-')}.md`;
    const recorded = async () => {
      const waits = (await candidates().labels()).includes(title);
      if (waits) await candidates().inlineAction(title, 'Record Candidate'); // a click is lost where the rows are drawn anew
      return wb.exists(`.brain/drafts/${name}`);
    };
    await expect.poll(recorded, { timeout: 15_000, interval: 1000 }).toBe(true);
    await wb.editor.opened(name);
    const draft = wb.read(`.brain/drafts/${name}`);
    await wb.editor.focus();
    await wb.page.keyboard.press('Control+a');
    await wb.editor.insert(draft.replace(/(## Root Cause\n\n).*/, '$1Nobody had written it down.'));
    await wb.editor.saveUntil(() => wb.exists(`.brain/memories/${name}`), 'the draft to become a card');
    await expect.poll(() => wb.view('Lessons').labels()).toContain(title);
  }
  const prompt = {
    session_id: 'new',
    permission_mode: 'default',
    cwd: wb.workspace,
    hook_event_name: 'UserPromptSubmit',
    prompt: 'add a list',
  };
  const told = wb.exec(program, ['hook', '--within', '20s'], JSON.stringify(prompt));
  for (const title of kept) expect(told).toContain(title);
});
