// What a turn's deeds say of the cards: a line that breaks an item is marked where it stands.

import { pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import { useWorkbench } from './lib/vitest';
import { demoBrain, vsix } from './stage';

const item = 'What the bot sends never stands in the log with its token';
const title = 'A token of the bot reached the log';
const card = `---
type: lesson
title: ${title}
applies-to: [telegram, logging]
paths: ["bot/*.go"]
severity: high
---

## Root Cause

The whole request was printed while a bug was looked for.

## Prevention Checklist

- [ ] ${item}
  \`\`\`check
  forbid: 'log\\.Print.*token'
  matches: ['log.Println(token)']
  passes: ['log.Println("sent")']
  \`\`\`
- [ ] The changelog names what the bot sends
  \`\`\`check
  touch: {when: 'bot/*.go', also: 'CHANGELOG.md'}
  \`\`\`
`;

const clean = 'package bot\n\nfunc send(token, text string) {\n\tpost(token, text)\n}\n';
const leaky = clean.replace('\tpost', '\tlog.Println("send", token, text)\n\tpost');

describe('verdicts', () => {
  const wb = useWorkbench({
    workspace: { ...demoBrain(), '.brain/lessons/token-of-the-bot.md': card, 'bot/send.go': clean, 'bot/notes.txt': 'none\n' },
    extensions: [vsix],
  });
  const answers = () => wb.view('Last Answer');
  const problems = () => wb.problems().then((all) => all.map(({ severity, message, position }) => ({ severity, message, position })));
  const marked = (line: number) => [{ severity: 'warning', message: item, position: `[Ln ${line}, Col 2]` }];
  const file = () => pathToFileURL(wb.file('bot/send.go')).toString();

  /** A turn that adds a line to send.go and runs the tests before it. */
  async function turn(): Promise<unknown> {
    const about = { sessionId: 's1', files: [file()] };
    const flight = await wb.callApi('preflight', [{ query: 'Log what the telegram bot sends, with its token', ...about }]);
    await wb.callApi('report', [{ kind: 'command', command: 'go test ./...', exitCode: 0, sessionId: 's1' }]);
    wb.write('bot/send.go', leaky);
    const changes = [{ file: file(), added: ['\tlog.Println("send", token, text)'], lines: [4] }];
    await wb.callApi('report', [{ kind: 'edit', changes, ...about }]);
    const { answerId } = flight as { answerId: string };
    return wb.callApi('postcheck', [{ answerId, answer: 'The bot now logs each message that it sends, in bot/send.go.' }]);
  }

  test('a file says which lessons are about it', async () => {
    await wb.editor.open('bot/send.go');
    await expect.poll(() => wb.editor.codeLenses()).toEqual(['2 lessons apply here']);
    await wb.screenshot('en/lens');
    await wb.editor.clickCodeLens('2 lessons apply here');
    await wb.quickInput.opened('Lessons for This File');
    await expect.poll(() => wb.quickInput.items().then((all) => all.map((i) => i.label))).toContain(title);
    await wb.quickInput.pick(title);
    await wb.editor.opened('token-of-the-bot.md');
  });

  test('a line that breaks an item is marked, and the footer names it first', async () => {
    await wb.activity('Handrail').open();
    const footer = (await turn()) as { unaddressed: unknown[] };
    expect(footer.unaddressed[0]).toMatchObject({ item, state: 'broken', place: { file: 'bot/send.go', line: 4 } });
    const ends = (labels: string[]) => [...labels.slice(0, 3), ...labels.slice(-2)];
    await expect
      .poll(() => answers().labels().then(ends))
      .toEqual([
        title,
        `Broken: ${item}`,
        'Open: The changelog names what the bot sends',
        'What the commands proved',
        'tests passed: go test ./... · code edited after it',
      ]);
    expect((await wb.statusBar('handrail.footer').tooltip()).text).toMatch(new RegExp(`Broken: ${item} · bot/send\\.go:4 · Not here`));
    await answers().click(`Broken: ${item}`);
    await wb.editor.opened('send.go');
    await expect.poll(() => wb.editor.position()).toMatchObject({ line: 4 });
    await wb.screenshot('en/broken');
    await expect.poll(problems).toEqual(marked(4));
  });

  test('the mark follows its line, leads to the card, and goes when the line does', async () => {
    wb.write('bot/send.go', leaky.replace('func', '// send posts.\nfunc'));
    await expect.poll(problems).toEqual(marked(5));
    await wb.editor.focus();
    await wb.editor.goTo(5);
    await wb.editor.codeAction(`Open the card “${title}”`);
    await wb.editor.opened('token-of-the-bot.md');
    await wb.run('View: Close All Editors');
    wb.write('bot/send.go', clean);
    await expect.poll(problems).toEqual([]);
  });

  test('a line that may break an item is left out from then on', async () => {
    await wb.activity('Handrail').open();
    await turn();
    await answers().click(`Broken: ${item}`);
    await wb.editor.opened('send.go');
    await expect.poll(problems).toEqual(marked(4));
    await wb.editor.focus();
    await wb.editor.goTo(4);
    await wb.editor.codeAction('Not here…');
    await wb.quickInput.opened('Not Here');
    await wb.quickInput.type('The log of the test bot is private');
    await wb.quickInput.accept();
    await expect.poll(() => wb.editor.squiggles()).toEqual([]);
    const footer = (await turn()) as { unaddressed: { state: string }[] };
    expect(footer.unaddressed.filter((v) => v.state === 'broken')).toEqual([]);
    await wb.run('Handrail: Show What Was Put Away or Muted…');
    await wb.quickInput.opened('Put Away and Not Here');
    await expect.poll(() => wb.quickInput.items().then((all) => all.map((i) => i.label))).toEqual(['log.Println("send", token, text)']);
    await wb.quickInput.hide();
  });

  test('the last answers outlive a reload of the window', async () => {
    const before = await answers().labels();
    expect(before).toContain('Earlier answers');
    await wb.reload();
    await wb.activity('Handrail').open();
    await expect.poll(() => answers().labels()).toEqual(before);
  });
});
