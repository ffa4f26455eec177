// The animation of the README: a fall, and a week later a title, the card at the edit and the line at the end. The
// terminal shows what a script tells an agent's hooks, and all that they answer.

import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { animated } from './lib/animation';
import { output, pictures } from './lib/workbench';
import { useWorkbench } from './lib/vitest';
import { bot, demoBrain, program, vsix } from './stage';

const card = `---
type: lesson
status: draft
severity: high
---

# Never log the bot's token

## Root Cause

The whole URL was logged, and the token is a part of it.

## Prevention Checklist

- [ ] Never log \`url\`: its path holds the token
`;

const wb = useWorkbench({
  workspace: {
    ...bot,
    'send.go': 'package bot\n\nfunc send(url string) {\n}\n',
    '.brain/lessons/http-timeout.md': demoBrain()['.brain/lessons/http-timeout.md']!,
    'agent.txt': '',
  },
  extensions: [vsix],
  git: true,
  settings: { 'terminal.integrated.fontSize': 13 },
});

const frames: { png: Buffer; seconds: number }[] = [];

async function frame(name: string, seconds: number) {
  frames.push({ png: fs.readFileSync(await wb.picture(`animation/${name}`)), seconds });
}

/** Adds to what the terminal shows. */
function show(text: string) {
  fs.appendFileSync(wb.file('agent.txt'), `${text}\n`);
}

function hook(session: string, event: string, more: Record<string, unknown> = {}): string {
  const payload = { session_id: session, permission_mode: 'default', cwd: wb.workspace, hook_event_name: event, ...more };
  const out = wb.exec(program, ['hook', '--within', '20s'], JSON.stringify(payload));
  if (!out) return '';
  const said = JSON.parse(out) as { systemMessage?: string; hookSpecificOutput?: { additionalContext: string } };
  return (said.hookSpecificOutput?.additionalContext ?? said.systemMessage ?? '').trim();
}

/** What a hook answers, as the terminal shows it. */
const told = (text: string) => text.replaceAll(/^/gm, '\x1b[34m  | ').replaceAll(/$/gm, '\x1b[0m');
const person = (text: string) => `\x1b[1m> ${text}\x1b[0m`;

function edit(session: string, id: string, before: string, after: string): string {
  const file = wb.file('send.go');
  fs.writeFileSync(file, fs.readFileSync(file, 'utf8').replace(before, after));
  return hook(session, 'PostToolUse', {
    tool_name: 'Edit',
    tool_use_id: id,
    tool_input: { file_path: file, old_string: before, new_string: after },
    tool_response: { filePath: file, oldString: before, newString: after },
  });
}

test('a fall, a title, the card at the edit, the line at the end', async () => {
  await wb.activity('Handrail').open();
  await expect.poll(() => wb.view('Lessons').labels()).toHaveLength(2); // a group and its card
  const terminal = await wb.terminal();
  void terminal.run('clear; tail -n +1 -f agent.txt').catch(() => {}); // it runs until the window closes

  const wish = 'log what the bot sends';
  hook('monday', 'SessionStart', { source: 'startup' });
  hook('monday', 'UserPromptSubmit', { prompt: wish });
  edit('monday', '1', '{\n}', '{\n\tlog.Println("send", url)\n}');
  hook('monday', 'Stop', { last_assistant_message: 'Each message is logged.' });
  const correction = "no, that is wrong: never log the bot's token";
  hook('monday', 'UserPromptSubmit', { prompt: correction });
  edit('monday', '2', '"send", url', '"send"');
  const asked = hook('monday', 'Stop', { last_assistant_message: 'The URL is not logged any more.' });
  show(`\x1b[2mMonday\x1b[0m\n${person(wish)}\n  edits send.go\n${person(correction)}\n  edits send.go\n${told(asked)}`);
  expect(asked).toContain('handrail review');
  await expect.poll(() => wb.view('Candidates').labels()).toHaveLength(1);
  await expect.poll(() => terminal.text()).toContain('1 to record');
  await frame('1-fall', 4);

  await wb.view('Candidates').inlineAction((await wb.view('Candidates').labels())[0]!, 'Record Candidate');
  const draft = 'drafts/never-log-the-bot-s-token.md';
  await wb.editor.opened(path.basename(draft));
  wb.write(`.brain/${draft}`, card); // as a person fills it in
  wb.exec(program, ['review', 'promote', draft], '');
  await wb.editor.open('never-log-the-bot-s-token.md');
  await expect.poll(() => wb.view('Lessons').labels()).toContain("Never log the bot's token");
  await frame('2-card', 4);

  await wb.editor.open('send.go');
  const titles = hook('friday', 'SessionStart', { source: 'startup' });
  expect(titles).toContain("- Never log the bot's token");
  show(`\n\x1b[2mFriday, a new conversation\x1b[0m\n${told(titles)}`);
  await expect.poll(() => terminal.text()).toContain("- Never log the bot's token");
  await frame('3-title', 4);

  const later = 'why do some messages not arrive?';
  show(person(later));
  hook('friday', 'UserPromptSubmit', { prompt: later });
  const lesson = edit('friday', '1', 'log.Println("send")', 'log.Println("send", url)');
  expect(lesson).toContain('ACTIVE LESSON');
  show(`  edits send.go\n${told(lesson)}`);
  await expect.poll(() => terminal.text()).toContain('ACTIVE LESSON');
  await frame('4-edit', 5);

  const line = hook('friday', 'Stop', { last_assistant_message: 'Every message is logged now, so that we see which are lost.' });
  expect(line).toContain('broken 1');
  show(`  says it is done\n${told(line)}`);
  await expect.poll(() => terminal.text()).toContain('broken 1');
  await expect.poll(() => wb.view('Last Answer').labels()).toContainEqual(expect.stringContaining('Broken'));
  await frame('5-line', 6);

  const file = path.join(pictures ?? path.join(output, 'screenshots'), 'en', 'loop.png');
  fs.mkdirSync(path.dirname(file), { recursive: true });
  const picture = animated(frames);
  fs.writeFileSync(file, picture);
  const decoded = await wb.page.evaluate(
    async (data) => {
      const decoder = new ImageDecoder({ type: 'image/png', data: Uint8Array.from(data) });
      await decoder.completed;
      const image = (await decoder.decode({ frameIndex: 4 })).image;
      return [decoder.tracks.selectedTrack?.frameCount, image.displayWidth, image.duration];
    },
    [...picture],
  );
  expect(decoded).toEqual([frames.length, 1280, 6_000_000]); // microseconds
});
