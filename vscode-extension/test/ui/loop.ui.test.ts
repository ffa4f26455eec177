// The loop: a card goes before a question, the answer is checked, and what goes wrong becomes a card.

import { describe, expect, test } from 'vitest';
import { useWorkbench } from './lib/vitest';
import { bot, demoBrain, vsix } from './stage';

const telegram = 'Telegram remote execution must require allowlist';
const answer =
  'I added a `/restart` handler to the dispatcher. It looks the chat id up in the allowlist before any command runs, and a test sends the command from a chat that is not on the list.';

const testTask = JSON.stringify({
  version: '2.0.0',
  tasks: [
    { label: 'Verify', type: 'shell', command: 'grep -q green verify.txt', group: { kind: 'test', isDefault: true }, problemMatcher: [] },
  ],
});

const checked = `Add a telegram command that restarts the server: ${answer}\n`;

const drafted = {
  task: 'Placing the map on the second page',
  mistake: 'The offset was taken from the first page',
  rootCause: 'Each page has its own size, and the size was read once',
  solution: 'The size is read for each page',
  checklist: ['The size of a page is read from that page'],
};

describe('the loop', () => {
  const wb = useWorkbench({
    workspace: {
      ...demoBrain(),
      ...bot,
      '.vscode/tasks.json': testTask,
      'verify.txt': 'red\n',
      'answer.txt': checked,
    },
    extensions: [vsix],
    model: true,
    git: true,
  });
  const answers = () => wb.view('Last Answer');
  const candidates = () => wb.view('Candidates');

  test('the model gets the block before the question', async () => {
    wb.modelAnswers(answer);
    await wb.activity('Handrail').open();
    await wb.chat.open();
    const said = await wb.chat.ask('@handrail add a telegram command that restarts the server');
    const asked = wb.modelRequests().at(-1)!.messages.at(-1)!.text;
    expect(asked).toMatch(
      /^\[LESSON TITLES[^]*\n\n\[ACTIVE LESSONS — verify before finalizing\]\n1\. Telegram remote execution must require allowlist/,
    );
    expect(asked.indexOf('[/ACTIVE LESSONS]')).toBeLessThan(asked.indexOf('add a telegram command that restarts the server'));
    expect(said.text).toContain('I added a /restart handler');
    expect(said.text).toContain(telegram);
    expect(said.text).toContain('An unknown chat gets no reply');
    expect(said.references).toEqual(['telegram-allowlist.md']);
    expect(said.buttons).toEqual([]);
    expect(said.links).toHaveLength(8);
    await expect.poll(() => wb.chat.followups()).toEqual(['Address what is open']);
    await wb.screenshot('en/chat');
  });

  test('status bar and tree name the card and what the answer left out', async () => {
    const bar = wb.statusBar('handrail.footer');
    await expect.poll(() => bar.text()).toBe('1 ⚠1');
    await expect.poll(() => bar.label()).toBe('Handrail: Lessons in the last answer: 1 · not addressed: 1');
    const tip = await bar.tooltip();
    expect(tip.text).toContain(telegram);
    expect(tip.links).toHaveLength(6);
    await expect
      .poll(() => answers().labels())
      .toEqual([
        telegram,
        'Open: An unknown chat gets no reply that tells it a bot is listening',
        'Only said: The allowlist is checked before any command runs',
        'Only said: A test sends the command from a chat that is not on the list',
      ]);
    const item = 'An unknown chat gets no reply that tells it a bot is listening';
    const open = `Open: ${item}`;
    await expect
      .poll(() =>
        answers()
          .rows()
          .then((all) => all[0]?.description),
      )
      .toBe('with the request');
    expect(await answers().description()).toMatch(/\d tokens · add a telegram command/);
    await answers().inlineAction(open, 'Not Here (This Answer)');
    await expect.poll(() => bar.text()).toBe('1');
    const icon = async () => (await answers().rows()).find((row) => row.label.endsWith(item))?.icon;
    await expect.poll(icon).toBe('circle-slash');
    await answers().menuAction(`Not here: ${item}`, 'Take My Word Back');
    await expect.poll(() => bar.text()).toBe('1 ⚠1');
    await expect.poll(icon).toBe('warning'); // the tree follows the bar
    await answers().click(open);
    await wb.editor.opened('telegram-allowlist.md');
    const line =
      wb
        .read('.brain/lessons/telegram-allowlist.md')
        .split('\n')
        .findIndex((l) => l.includes('An unknown chat')) + 1;
    await expect.poll(() => wb.editor.position()).toMatchObject({ line });
    await wb.screenshot('en/footer');
    await bar.click();
    await wb.quickInput.opened('Handrail Lessons');
    await expect.poll(() => wb.quickInput.items().then((all) => all[0])).toMatchObject({ label: telegram, group: 'In the last answer' });
    await wb.quickInput.hide();
    await wb.run('Handrail: Pause or Resume Lessons…');
    await wb.quickInput.opened('Pause Lessons');
    await wb.quickInput.pick('Until I resume');
    await expect.poll(() => bar.label()).toBe('Handrail: Lessons are paused: none goes before a request. Click to go on.');
    const flight = () => wb.callApi('preflight', [{ query: 'add a telegram command that restarts the server', sessionId: 'paused' }]);
    expect(await flight()).toMatchObject({ block: '', lessons: [] });
    await wb.screenshot('en/paused');
    await bar.click();
    await expect.poll(() => bar.text()).toBe('1 ⚠1');
    expect(await flight()).toMatchObject({ lessons: [{ path: 'lessons/telegram-allowlist.md' }] });
  });

  test('what the last answer left open goes along once, and a question that no card speaks to as it is', async () => {
    const sent = () =>
      wb
        .modelRequests()
        .at(-1)!
        .messages.slice(-2)
        .map((m) => m.text);
    wb.modelAnswers('They eat fish.');
    await wb.chat.ask('@handrail what do penguins eat?');
    // The answer before goes along as the model said it, without our footer.
    expect(sent()[0]).toBe(answer);
    expect(sent()[1]).toMatch(/^\[LEFT OVER FROM THE LAST TURN\]\n- \[ \] .*\n\[\/LEFT OVER\]\s+what do penguins eat\?$/);
    wb.modelAnswers('Penguins live in the south.');
    const said = await wb.chat.ask('@handrail where do penguins live?');
    expect(sent()).toEqual(['They eat fish.', 'where do penguins live?']);
    expect(said).toMatchObject({ text: 'Penguins live in the south.', references: [], buttons: [] });
  });

  test('a complaint becomes a candidate, quietly', async () => {
    await wb.chat.open();
    const said = await wb.chat.ask('@handrail 또 안 돼요, 어제 고친 건데');
    expect(said.buttons).toEqual([]);
    await expect.poll(() => candidates().rows()).toHaveLength(1);
    await expect.poll(() => wb.activity('Handrail').badge()).toBe('1');
    expect(await wb.notifications()).toEqual([]);
    await candidates().inlineAction((await candidates().labels())[0]!, 'Dismiss Candidate');
    await expect.poll(() => candidates().rows()).toEqual([]);
  });

  test('where a message may be one, the model judges and drafts the lesson', async () => {
    wb.modelAnswers('The map sits on the second page now.');
    await wb.chat.open();
    await wb.chat.ask('@handrail add a map to the second page');
    expect(wb.modelRequests().at(-1)).toMatchObject({ tools: [] });
    wb.modelDrafts({ ...drafted, title: 'The map is placed by the size of the first page' });
    const said = await wb.chat.ask('@handrail the map is off on the second page');
    const [first, second] = wb.modelRequests().slice(-2);
    expect(first).toMatchObject({ tools: ['lessons_draft'] });
    expect(first!.messages.at(-1)!.text).toMatch(/^\[HANDRAIL\].*lessons_draft[^]*the map is off on the second page$/);
    expect(second!.messages.at(-1)!.text).toContain('Draft written');
    expect(said.text).toContain('The map sits on the second page now.');
    expect(said.text).toContain('The model drafted a lesson: The map is placed by the size of the first page');
    expect(said.buttons).toEqual(['Open Draft']);
    expect(await candidates().rows()).toEqual([]);
    await wb.screenshot('en/drafted');
    await wb.chat.click('Open Draft');
    await wb.editor.opened('the-map-is-placed-by-the-size-of-the-first-page.md');
    await expect.poll(() => wb.editor.text()).toContain('Each page has its own size');
  });

  test('Record a Lesson starts from the conversation', async () => {
    wb.modelAnswers(answer);
    wb.modelDrafts({
      title: 'A restart command came without its test',
      task: 'Adding a command to the bot',
      mistake: 'The handler was merged untested and restarted the wrong host',
      rootCause: 'Commands of the dispatcher have no table test that a new one must join',
      solution: 'The dispatcher test lists every command',
      checklist: ['A new command stands in the table of dispatcher_test.go'],
    });
    await wb.chat.ask('@handrail add a telegram command that restarts the server');
    await wb.chat.link('Record a Lesson');
    await wb.editor.opened('a-restart-command-came-without-its-test.md');
    const [asked] = wb.modelRequests().slice(-1);
    expect(asked!.messages.at(-2)!.text).toBe(answer);
    expect(asked!.messages.at(-1)!.text).toContain('Record a lesson from what went wrong in this conversation');
    expect(wb.read('.brain/drafts/a-restart-command-came-without-its-test.md')).toContain('status: draft');
  });

  test('tests that go from red to green in a terminal become one', async () => {
    const terminal = await wb.terminal();
    await terminal.run('go test ./...');
    await expect.poll(() => terminal.text()).toContain('FAIL');
    await wb.editor.open('limit.go');
    await wb.editor.focus();
    await wb.page.keyboard.press('Control+a');
    await wb.editor.insert('package bot\n\n// Limited reports whether a chat sent too much.\nfunc Limited(n int) bool { return n > 3 }\n');
    await wb.editor.save();
    await terminal.run('go test ./...');
    await expect
      .poll(() =>
        candidates()
          .rows()
          .then((rows) => rows.map((r) => r.description)),
      )
      .toEqual(['Tests went from red to green']);
    const [row] = await candidates().rows();
    await candidates().expand(row!.label);
    const evidence = () =>
      candidates()
        .labels()
        .then((all) => all.slice(1).join('\n'));
    await expect.poll(evidence).toContain('go test ./...');
    await expect.poll(evidence).toContain('limit.go');
    await expect.poll(evidence).toContain('the fourth message is not limited');
    await wb.screenshot('en/candidate');
    await terminal.kill();
  });

  test('a test task that turns green becomes one too', async () => {
    const last = async () => (await candidates().rows())[0]?.description;
    await candidates().inlineAction((await candidates().labels())[0]!, 'Dismiss Candidate');
    await expect.poll(last).toBe(undefined);
    await wb.run('Tasks: Run Test Task');
    const shown = () =>
      wb.page
        .locator('.terminal-wrapper.active .xterm-rows')
        .innerText()
        .then((rows) => rows.replace(/\s/g, ''));
    await expect.poll(shown).toContain('exitcode:1'); // wrapped anywhere
    await wb.editor.open('verify.txt');
    await wb.editor.focus();
    await wb.page.keyboard.press('Control+a');
    await wb.editor.insert('green\n');
    await wb.editor.save();
    await wb.run('Tasks: Run Test Task');
    await expect.poll(last).toBe('Tests went from red to green');
    await candidates().inlineAction((await candidates().labels())[0]!, 'Dismiss Candidate');
    await expect.poll(last).toBe(undefined);
  });

  test('any answer can be checked', async () => {
    await wb.editor.open('answer.txt');
    await wb.editor.focus();
    await wb.page.keyboard.press('Control+a');
    await wb.run('Handrail: Check Answer Against Lessons');
    await expect.poll(() => wb.statusBar('handrail.footer').text()).toBe('1 ⚠1');
    await wb.editor.goTo(2);
    await wb.run('Handrail: Check Answer Against Lessons');
    await expect.poll(() => wb.notifications().then((all) => all.length)).toBeGreaterThan(0);
    await wb.run('Notifications: Clear All Notifications');
  });

  test('a revert asks once', async () => {
    wb.git('commit', '-qam', 'Limit chats to three messages');
    wb.git('revert', '--no-edit', 'HEAD');
    await wb.notification('Undone: ').appears();
    await expect
      .poll(() => wb.notifications().then((all) => all[0]))
      .toMatchObject({
        message: expect.stringMatching(/^Undone: .*limit\.go.*\. Record a lesson\?$/) as string,
        buttons: ['Record', 'Later', 'Don’t Ask for This Kind'],
      });
    await wb.screenshot('en/toast');
    await wb.notification('Undone: ').click('Record');
    await wb.editor.opened('undone-limit-chats-to-three-messages-limit-go-verify-txt.md');
    await wb.editor.selected();
    await wb.page.keyboard.type('The limit of chats was counted per process');
    await wb.editor.save();
    await wb.screenshot('en/untitled');
  });

  test('a model suggests what a draft lacks, and a person takes it or not', async () => {
    await wb.editor.opened('undone-limit-chats-to-three-messages-limit-go-verify-txt.md');
    wb.modelDrafts({ rootCause: 'Each process counts for itself.', checklist: ['The counter outlives a process'] });
    await wb.editor.clickCodeLens('suggest what is missing, with a model…');
    const preview = wb.page.locator('.bulk-edit-panel');
    await expect.poll(() => preview.locator('.edit-checkbox').count()).toBe(3); // of the file, the root cause and the item
    await wb.screenshot('en/suggested');
    await preview.locator('.edit-checkbox').nth(2).check();
    await preview.getByRole('button', { name: 'Apply' }).click();
    const problems = () => wb.problems().then((all) => all.map((p) => p.message.split(';')[0]));
    await expect.poll(problems).not.toContain('The card has no concrete checklist item');
    expect(await problems()).toContain('The card has no root cause');
    expect(wb.read('.brain/drafts/undone-limit-chats-to-three-messages-limit-go-verify-txt.md')).not.toContain(
      'The counter outlives a process',
    );
    await wb.run('File: Revert File');
  });

  test('a draft says what it lacks, and becomes a card when it is saved complete', async () => {
    await wb.editor.opened('undone-limit-chats-to-three-messages-limit-go-verify-txt.md');
    const draft = '.brain/drafts/undone-limit-chats-to-three-messages-limit-go-verify-txt.md';
    await expect
      .poll(() => wb.problems().then((all) => all.map((p) => p.message)))
      .toContain('The card has no root cause; say why the mistake happened.');
    await wb.screenshot('en/draft');
    expect(await wb.callApi('preflight', [{ query: 'the limit of chats is counted per process' }])).toMatchObject({ block: '' });
    const text = wb
      .read(draft)
      .replace(/(## Root Cause\n\n).*/, '$1The limit was counted per process, and the bot runs two.')
      .replace(/(## Prevention Checklist\n\n).*/, '$1- [ ] The message counter lives in Redis, not in the process');
    await wb.editor.focus();
    await wb.page.keyboard.press('Control+a');
    await wb.editor.insert(text);
    const card = '.brain/lessons/the-limit-of-chats-was-counted-per-process.md';
    await wb.editor.saveUntil(() => wb.exists(card), 'the draft to become a card');
    await expect.poll(() => wb.exists(card) && wb.read(card)).toBe(text.replace('status: draft', 'status: active'));
    await expect.poll(() => wb.exists(draft)).toBe(false);
    await expect.poll(() => wb.editor.title()).toBe('the-limit-of-chats-was-counted-per-process.md');
    await expect
      .poll(() =>
        wb.callApi('preflight', [{ query: 'the limit of chats is counted per process' }]).then((p) => (p as { block: string }).block),
      )
      .toContain('The message counter lives in Redis');
  });

  test('a server that does not answer keeps no answer away', async () => {
    wb.modelAnswers('Still here.');
    const [server] = wb.processes('handrail lsp');
    process.kill(server!.pid, 'SIGSTOP');
    const said = await wb.chat
      .ask('@handrail add a telegram command that restarts the server')
      .finally(() => process.kill(server!.pid, 'SIGCONT'));
    expect(said.text).toContain('Still here.');
    expect(said.text).toContain('⚠ Handrail did not answer in time.');
    expect(wb.modelRequests().at(-1)!.messages.at(-1)!.text).toBe('add a telegram command that restarts the server');
  });

  test('other extensions have the same through the API', async () => {
    const flight = (await wb.callApi('preflight', [{ query: 'add a telegram command that restarts the server' }])) as { answerId: string };
    const footer = await wb.callApi('postcheck', [{ answerId: flight.answerId, answer }]);
    expect(footer).toMatchObject({ unaddressed: [{ item: 'An unknown chat gets no reply that tells it a bot is listening' }] });
    expect(await wb.callApi('retrieve', [{ query: 'timeout', limit: 1 }])).toMatchObject({
      lessons: [{ path: 'lessons/http-timeout.md' }],
    });
    await expect(wb.callApi('retrieve', [{ query: 1 }])).rejects.toThrow(/handrail\/retrieve/);
    await expect(wb.callApi('retrieve', [{ query: '' }], 'handrail.handrail', 2)).rejects.toThrow('only 1');
  });
});
