// The life of a card: from a draft to what it did, what would tidy the brain, and the way back from all of it.

import { describe, expect, test } from 'vitest';
import { useWorkbench } from './lib/vitest';
import { demoBrain, old, vsix } from './stage';

const telegram = 'Telegram remote execution must require allowlist';
const timeout = 'An HTTP client without a timeout hung every worker';

const grown = `---
type: lesson
title: Retries need a limit
status: draft
---

## Root Cause

The loop had no counter, so a dead host was asked for ever.

## Prevention Checklist

- [ ] Every retry loop stops after \`maxRetries\` attempts
`;

const workspace = {
  ...demoBrain(),
  '.brain/drafts/retries-need-a-limit.md': grown,
  '.brain/drafts/too-thin.md': '---\ntype: lesson\ntitle: Too thin for a card\nstatus: draft\n---\n',
  '.brain/lessons/gopher.md': old('The gopher proxy drops long lines', '`gopher.Dial` wraps lines at 70 characters'),
  '.brain/lessons/telnet.md': old('The telnet bridge loses its colours', '`TERM` is set before the bridge starts'),
};

describe('the life of a card', () => {
  const wb = useWorkbench({ workspace, extensions: [vsix], git: true });
  const lessons = () => wb.view('Lessons');
  const row = (label: string) =>
    lessons()
      .rows()
      .then((all) => all.find((r) => r.label === label));

  test('begins as a draft, which is promoted from the tree and back again', async () => {
    await wb.activity('Handrail').open();
    await expect.poll(() => row('Retries need a limit')).toMatchObject({ icon: 'edit' });
    await lessons().click('Retries need a limit');
    await wb.editor.opened('retries-need-a-limit.md');
    await lessons().menuAction('Retries need a limit', 'Promote Draft, for Everybody');
    await expect.poll(() => wb.exists('.brain/lessons/retries-need-a-limit.md')).toBe(true);
    await expect.poll(() => wb.exists('.brain/drafts/retries-need-a-limit.md')).toBe(false);
    expect(wb.read('.brain/lessons/retries-need-a-limit.md')).not.toContain('draft');
    await expect.poll(() => row('Retries need a limit')).toMatchObject({ icon: 'mortar-board' });
    await expect.poll(() => wb.page.locator('.tab[data-resource-name="retries-need-a-limit.md"]').count()).toBe(1);

    await wb.run('Handrail: Undo Last Change to Lessons');
    const draft = '.brain/drafts/retries-need-a-limit.md';
    await expect.poll(() => wb.exists(draft) && wb.read(draft)).toBe(grown);
    expect(wb.exists('.brain/lessons/retries-need-a-limit.md')).toBe(false);
    await expect.poll(() => row('Retries need a limit')).toMatchObject({ icon: 'edit' });
    await expect.poll(() => wb.page.locator('.tab[data-resource-name="retries-need-a-limit.md"]').count()).toBe(1);
  });

  test('does not begin before the draft says enough', async () => {
    await lessons().inlineAction('Too thin for a card', 'Promote Draft, for Everybody');
    await wb.notification('The card has no root cause').appears();
    await wb.editor.opened('too-thin.md');
    expect(wb.exists('.brain/drafts/too-thin.md')).toBe(true);
    await wb.notification('The card has no root cause').dismiss();
  });

  test('is marked once a person has checked it', async () => {
    const file = '.brain/lessons/http-timeout.md';
    const before = wb.read(file);
    await lessons().menuAction(timeout, 'Mark as Checked for Everybody, or Not');
    await expect.poll(() => row(timeout)).toMatchObject({ icon: 'mortar-board', aria: expect.stringMatching(/verified · medium/) });
    expect(wb.read(file)).toMatch(/^verified: true$/m);
    expect(await lessons().menu(timeout)).toEqual([
      'Open Lesson',
      'Why, and Why Not?…',
      'Seen Again, for Everybody (+1 in the File)',
      'Put Away for Everybody…',
      'Mark as Checked for Everybody, or Not',
      'Merge Into Another, for Everybody…',
      'Delete the File, for Everybody…',
    ]);
    await lessons().menuAction(timeout, 'Mark as Checked for Everybody, or Not');
    await expect.poll(() => row(timeout)).toMatchObject({ aria: expect.not.stringMatching(/verified/) });
    await expect.poll(() => wb.read(file)).toBe(before);
  });

  test('goes into another card that a person picks', async () => {
    const [gopher, telnet] = ['.brain/lessons/gopher.md', '.brain/lessons/telnet.md'];
    const before = [wb.read(gopher), wb.read(telnet)];
    await lessons().menuAction('The gopher proxy drops long lines', 'Merge Into Another, for Everybody…');
    await wb.quickInput.opened('Merge “The gopher proxy drops long lines” into');
    const items = await wb.quickInput.items();
    expect(items.map((i) => i.label)).not.toContain('The gopher proxy drops long lines');
    expect(items.filter((i) => i.group).map((i) => i.group)).toContain('Others');
    await wb.quickInput.pick('The telnet bridge loses its colours');
    await wb.editor.opened('telnet.md');
    await expect.poll(() => wb.exists(gopher)).toBe(false);
    expect(wb.read(telnet)).toContain('wraps lines at 70 characters');
    await wb.notification('was merged into').click('Undo');
    await expect.poll(() => wb.exists(gopher) && [wb.read(gopher), wb.read(telnet)]).toEqual(before);
    await expect.poll(() => wb.editor.title()).toMatch(/^(gopher|telnet)\.md$/);
    await expect.poll(() => lessons().labels()).toContain('The gopher proxy drops long lines');
  });

  test('ends when a person agrees that it is put away, and not for good', async () => {
    const [gopher, telnet] = ['.brain/lessons/gopher.md', '.brain/lessons/telnet.md'];
    const before = wb.read(gopher);
    await lessons().moreAction('Tidy Lessons…');
    await wb.quickInput.opened('Tidy Lessons');
    const items = await wb.quickInput.items();
    expect(items.find((i) => i.label === 'The gopher proxy drops long lines')).toMatchObject({
      description: 'put away',
      detail: expect.stringMatching(/^seen once, not used for \d{4} days$/),
    });
    expect(items.map((i) => i.label)).toContain('The telnet bridge loses its colours');
    expect(items.map((i) => i.checked)).toEqual(items.map(() => false));
    await wb.quickInput.check('The gopher proxy drops long lines');
    await wb.screenshot('tidy');
    await wb.quickInput.accept();
    await wb.notification('Cards tidied: 1').appears();
    expect(wb.read(gopher)).toMatch(/^status: archived$/m);
    expect(wb.read(telnet)).not.toContain('archived');
    await wb.notification('Cards tidied: 1').click('Undo');
    await expect.poll(() => wb.read(gopher)).toBe(before);
    await wb.editor.opened('gopher.md'); // what an undo brings back is shown; it takes the focus
  });

  test('is told by what came of it', async () => {
    await wb.run('View: Close All Editors');
    const stats = async () => {
      await wb.run('Handrail: Show What Lessons Did');
      await wb.quickInput.opened('What Lessons Did');
      return wb.quickInput.items();
    };
    expect((await stats())[0]).toMatchObject({ group: 'Matched no request yet' });
    await wb.quickInput.hide();
    const ask = (query: string, sessionId: string) =>
      wb.callApi('preflight', [{ query, sessionId }]) as Promise<{ answerId: string; lessons: { title: string }[] }>;
    const flight = await ask('add a telegram command that restarts the server', 'a');
    expect(flight.lessons.map((l) => l.title)).toEqual([telegram]);
    await wb.callApi('postcheck', [{ answerId: flight.answerId, answer: 'I added a handler for the command.' }]);
    expect((await stats())[0]).toMatchObject({ group: 'Served', label: telegram, detail: 'served 1× · kept 0, left open 1' });
    await wb.quickInput.hide();

    // Once more, and the work, which is about the card's very mistake, is rolled back all the same.
    const asked = 'allow remote execution of a shell command over telegram';
    await wb.callApi('report', [{ kind: 'message', sessionId: 'b', text: asked }]);
    await ask(asked, 'b');
    await wb.callApi('report', [
      { kind: 'rollback', sessionId: 'b', files: [`file://${wb.file('bot/dispatch.go')}`], text: 'git restore bot/dispatch.go' },
    ]);
    await wb.run('Notifications: Clear All Notifications');
    expect((await stats())[0]).toMatchObject({
      group: 'Came back',
      label: telegram,
      detail: expect.stringMatching(/^came back 1× · served 2× · kept 0, left open \d$/),
    });
    await wb.screenshot('en/stats');
    await wb.quickInput.pick(telegram);
    await wb.editor.opened('telegram-allowlist.md');
  });

  test('is written down act by act', async () => {
    await wb.run('Handrail: Show What Was Done to Lessons…');
    await wb.quickInput.opened('What was done to the lessons');
    const items = await wb.quickInput.items();
    expect(items.slice(0, 2).map((i) => [i.label, i.description.split(' · ')[0]])).toEqual([
      ['The gopher proxy drops long lines', 'undone'],
      ['The gopher proxy drops long lines', 'tidied'],
    ]);
    expect(items[1]!.description).toMatch(/ · taken back$/);
    await wb.quickInput.accept();
    await wb.editor.opened('gopher.md');
  });

  test('is put away as wrong for a reason, and comes back', async () => {
    const file = '.brain/lessons/http-timeout.md';
    const before = wb.read(file);
    const ask = () =>
      wb.callApi('preflight', [{ query: 'give the http client of the payment service a timeout' }]) as Promise<{
        lessons: { title: string }[];
      }>;
    expect((await ask()).lessons.map((l) => l.title)).toContain(timeout);
    await lessons().menuAction(timeout, 'Put Away for Everybody…');
    await wb.quickInput.opened(`Put Away “${timeout}”`);
    await wb.quickInput.pick('It is wrong…');
    await wb.quickInput.opened('Why is it wrong?');
    await wb.quickInput.type('The pool was the cause');
    await wb.quickInput.accept();
    await expect.poll(() => wb.read(file)).toMatch(/^status: quarantined$/m);
    expect(wb.read(file)).toMatch(/^quarantine-reason: The pool was the cause$/m);
    await expect.poll(() => row(timeout)).toMatchObject({ icon: 'circle-slash' });
    await expect.poll(async () => (await ask()).lessons.map((l) => l.title)).not.toContain(timeout);
    await lessons().menuAction(timeout, 'Use Again, for Everybody');
    await expect.poll(() => row(timeout)).toMatchObject({ icon: 'mortar-board' });
    await wb.run('Handrail: Undo Last Change to Lessons');
    await expect.poll(() => wb.read(file)).toContain('quarantined');
    await wb.run('Handrail: Undo Last Change to Lessons');
    await expect.poll(() => wb.read(file)).toBe(before);
    await wb.run('Notifications: Clear All Notifications');
  });

  test('begins with one word about all that waits', async () => {
    const candidates = () => wb.view('Candidates');
    const report = (sessionId: string, text: string) => wb.callApi('report', [{ kind: 'message', sessionId, text }]);
    await candidates().inlineAction((await candidates().labels())[0]!, 'Dismiss Candidate'); // of the work that was rolled back above
    await expect.poll(() => candidates().rows()).toEqual([]);
    const words = ['the upload still fails, same error again', 'why does it keep failing on login'];
    for (const [i, text] of words.entries()) await report(`r${i}`, text);
    await expect.poll(() => candidates().rows()).toHaveLength(2);
    const titles = await candidates().labels();

    await wb.run('Handrail: Review Candidates…');
    await wb.quickInput.opened('Candidates and drafts that wait:');
    for (const title of titles) await wb.quickInput.check(title);
    await wb.screenshot('review');
    await wb.quickInput.accept();
    await wb.quickInput.opened('Candidates: 2');
    await wb.quickInput.pick('Dismiss them');
    await expect.poll(() => candidates().rows()).toEqual([]);
    expect(await report('later', words[0]!)).toEqual({});
  });

  test('ends in another that says the same', async () => {
    const [strict, twin] = ['.brain/lessons/strict.md', '.brain/lessons/twin.md'];
    const same = (title: string, item: string) => old(title, item).replace('source: auto\nlast-seen: 2020-01-31', 'last-seen: 2026-10-01');
    wb.write(strict, same('How do I decode settings?', 'Unknown fields are an error in the decoder'));
    wb.write(twin, same('Decode settings', 'The settings are decoded once'));
    await expect.poll(() => lessons().labels()).toEqual(expect.arrayContaining(['How do I decode settings?', 'Decode settings']));
    await wb.run('Handrail: Tidy Lessons…');
    await wb.quickInput.opened('Tidy Lessons');
    const merge = (await wb.quickInput.items()).find((i) => i.description.startsWith('merge into'))!;
    expect(merge.detail).toBe('the same title');
    await wb.quickInput.check(merge.label);
    await wb.quickInput.accept();
    await wb.notification('Cards tidied: 1').appears();
    await expect.poll(() => [wb.exists(strict), wb.exists(twin)].sort()).toEqual([false, true]);
    await wb.notification('Cards tidied: 1').click('Undo');
    await expect.poll(() => wb.exists(strict) && wb.exists(twin)).toBe(true);
  });
});
