// From nothing to a brain, and everything one does with its cards.

import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { useWorkbench } from './lib/vitest';
import { demoBrain, vsix } from './stage';

describe('a workspace without a brain', () => {
  const workspace = { 'README.md': '# Shop\n\nThe total was wrong: `sum += price`\n' };
  const wb = useWorkbench({ workspace, extensions: [vsix], model: true });
  const lessons = () => wb.view('Lessons');

  test('gets answers from @handrail, which says so once, and offers to make one', async () => {
    wb.modelAnswers('They eat fish.');
    await wb.chat.open();
    const said = await wb.chat.ask('@handrail what do penguins eat?');
    expect(said.text).toContain('They eat fish.');
    expect(said.text).toContain('⚠ This workspace has no brain: no lesson goes before your question.');
    expect(said.buttons).toEqual(['Create Brain']);
    await wb.screenshot('en/no-brain');
    expect((await wb.chat.ask('@handrail and in winter?')).buttons).toEqual([]);
    await wb.run('View: Toggle Secondary Side Bar Visibility');
  });

  test('says what a brain is, and makes one', async () => {
    expect(await wb.statusBar('handrail.footer').visible()).toBe(false);
    expect(await wb.commands('Handrail:')).not.toContain('Handrail: New Lesson');
    await wb.activity('Handrail').open();
    await expect.poll(() => lessons().welcome()).toMatchObject({ buttons: ['Use Lessons in Agent Chat', 'Create Brain', 'How It Works'] });
    await wb.screenshot('en/welcome');
    await lessons().clickWelcome('Create Brain');
    await expect
      .poll(() => lessons().welcome())
      .toMatchObject({
        buttons: ['Use Lessons in Agent Chat', 'New Lesson', 'Find Lessons in This Project', 'How It Works'],
      });
    expect(fs.existsSync(wb.file('.brain'))).toBe(true);
    await expect.poll(() => wb.statusBar('handrail.footer').icons()).toEqual(['mortar-board']);
  });

  test('begins a card in the editor, and says what it lacks', async () => {
    await wb.run('Handrail: New Lesson');
    await wb.editor.opened('new-lesson.md');
    const folded = /^---.*\n\s*# <The rule[^]*## Root Cause[^]*## Prevention Checklist\s+- \[ \][^#]*$/;
    await expect.poll(() => wb.editor.text()).toMatch(folded);
    await wb.editor.selected();
    await wb.screenshot('en/begun');
    await wb.page.keyboard.type('Prices are summed in cents');
    expect(fs.existsSync(wb.file('.brain/drafts'))).toBe(false); // it is on no disk yet
    await wb.editor.save();
    await expect.poll(() => lessons().labels()).toEqual(['Lessons', 'Prices are summed in cents']);
    await expect
      .poll(() => wb.problems().then((all) => all.map((p) => p.message)))
      .toEqual([
        'The card has no root cause; say why the mistake happened.',
        'The card has no concrete checklist item; say what to check next time.',
        'This draft becomes active when you save it with a root cause and a concrete checklist item.',
      ]);
    expect(await wb.notifications()).toEqual([]);
    expect(wb.read('.brain/drafts/new-lesson.md')).toContain('status: draft');
  });

  test('begins another that a person may type in at once', async () => {
    await wb.run('Handrail: New Lesson');
    await wb.page.locator('.tab.active[data-resource-name="new-lesson-2.md"]').waitFor();
    await wb.page.keyboard.type('Rates are read once');
    await expect.poll(() => wb.editor.text()).toMatch(/^---.*\n\s*# Rates/); // folded
    await wb.editor.save();
    const draft = wb.read('.brain/drafts/new-lesson-2.md');
    expect(draft).toMatch(/^---\ntype: lesson\n[^]*\nstatus: draft\n---\n\n# Rates are read once\n\n## Root Cause\n/);
  });

  test('makes a card of a selection, active when it is saved complete', async () => {
    await wb.editor.open('README.md');
    await wb.editor.focus();
    await wb.page.keyboard.press('Control+a');
    await wb.run('Handrail: New Lesson');
    await wb.editor.opened('new-lesson-3.md');
    await expect.poll(() => wb.editor.text()).toContain('## Root Cause'); // what was selected is folded below
    await wb.editor.selected();
    for (const said of ['Totals need a currency', 'Nobody named the unit.', 'Every total names its currency']) {
      await wb.page.keyboard.type(said);
      await wb.page.keyboard.press('Tab');
    }
    await wb.editor.save();
    await expect.poll(() => fs.existsSync(wb.file('.brain/lessons/totals-need-a-currency.md'))).toBe(true);
    await wb.editor.opened('totals-need-a-currency.md');
    const card = wb.read('.brain/lessons/totals-need-a-currency.md');
    expect(card).toContain('`README.md:1`');
    expect(card).toContain('The total was wrong: `sum += price`');
    expect(card).toContain('status: active');
    await wb.screenshot('en/new-lesson');
  });
});

describe('a brain with cards', () => {
  const wb = useWorkbench({ workspace: demoBrain(), extensions: [vsix], git: true });
  const lessons = () => wb.view('Lessons');
  const telegram = 'Telegram remote execution must require allowlist';

  test('shows them by kind, and each with a menu', async () => {
    await wb.activity('Handrail').open();
    await expect.poll(() => lessons().labels()).toContain(telegram);
    const rows = await lessons().rows();
    expect(rows.filter((r) => r.level === 1).map((r) => r.label)).toEqual(['Lessons', 'Playbooks', 'QA findings']);
    expect(rows.find((r) => r.label === telegram)).toMatchObject({ description: '', icon: 'warning' });
    expect(await lessons().menu(telegram)).toEqual([
      'Open Lesson',
      'Why, and Why Not?…',
      'Seen Again, for Everybody (+1 in the File)',
      'Put Away for Everybody…',
      'Mark as Checked for Everybody, or Not',
      'Merge Into Another, for Everybody…',
      'Delete the File, for Everybody…',
    ]);
    await wb.screenshot('en/lessons');
    await lessons().click(telegram);
    await wb.editor.opened('telegram-allowlist.md');
  });

  test('is walked through with keys, and each stop has a role and a name', async () => {
    await wb.run('View: Close All Editors');
    await wb.run('Handrail: Focus on Lessons View');
    const at = wb.page.locator('[role="tree"]:focus [role="treeitem"].focused');
    await wb.page.keyboard.press('Home');
    await expect.poll(() => at.getAttribute('aria-label')).toMatch(/^Lessons/);
    for (let rows = 8; !(await at.getAttribute('aria-label'))?.startsWith(telegram) && rows > 0; rows--) {
      const before = await at.getAttribute('data-index');
      await wb.page.keyboard.press('ArrowDown');
      await expect.poll(() => at.getAttribute('data-index')).not.toBe(before);
    }
    expect(await at.getAttribute('aria-label')).toMatch(/high/); // what the icon's shape says
    expect(await at.getAttribute('aria-level')).toBe('2');
    await wb.page.keyboard.press('Enter');
    await wb.editor.opened('telegram-allowlist.md');
    const bar = wb.page.locator('[id$=".handrail.footer"] [role="button"]');
    expect(await bar.getAttribute('aria-label')).toBe('Handrail: No answer was checked yet');
    const named = wb.page.locator('.pane-header .actions-container [role="button"]');
    expect((await named.evaluateAll((all) => all.map((b) => b.getAttribute('aria-label')))).filter((name) => !name)).toEqual([]);
  });

  test('follows what other programs do to the files', async () => {
    const file = '.brain/lessons/csv-bom.md';
    wb.write(
      file,
      wb
        .read(file)
        .replace(/^title: .*$/m, 'title: CSV exports start with a UTF-8 BOM')
        .replace(/^# .*$/m, '# CSV exports start with a UTF-8 BOM'),
    );
    await expect.poll(() => lessons().labels()).toContain('CSV exports start with a UTF-8 BOM');
  });

  test('can be searched and managed from the keyboard', async () => {
    await wb.run('Handrail: Manage Lessons…');
    await wb.quickInput.opened('Handrail Lessons');
    const items = await wb.quickInput.items();
    expect(items[0]!.group).toBe('This project');
    expect(items.find((i) => i.label === telegram)).toMatchObject({
      description: 'high · seen 3× · 2026-10-28',
      detail: 'telegram, security, remote-execution',
      buttons: ['Why this card?', 'Edit', 'Put away', 'Delete'],
    });
    await wb.screenshot('en/manage');
    const found = () => wb.quickInput.items().then((all) => all.find((i) => i.label === telegram));
    await wb.quickInput.type('unknown chat bot listening'); // words of its checklist alone
    await expect.poll(() => found().then((i) => i?.detail)).toContain('An unknown chat gets no reply');

    await wb.quickInput.clickItemButton(telegram, 'Put away');
    await expect.poll(() => wb.read('.brain/lessons/telegram-allowlist.md')).toContain('status: archived');
    await expect.poll(() => found().then((i) => i?.buttons)).toEqual(['Why this card?', 'Edit', 'Use again', 'Delete']);
    await wb.quickInput.type('');
    const group = () => wb.quickInput.items().then((all) => all.findLast((i) => i.group)?.group);
    await expect.poll(group).toBe('Put away');
    await wb.quickInput.type('unknown chat bot listening'); // its button is out of sight
    await expect.poll(() => found().then((i) => i?.detail)).toContain('An unknown chat gets no reply');
    await wb.quickInput.clickItemButton(telegram, 'Use again');
    await expect.poll(() => wb.read('.brain/lessons/telegram-allowlist.md')).not.toContain('status: archived');
    await wb.quickInput.type('');
    await expect.poll(group).toBe('This project');
    await wb.quickInput.type('kind:playbook');
    const [playbook] = await wb.quickInput.items();
    await wb.quickInput.pick(playbook!.label);
    await wb.editor.opened('n-plus-one.md');
  });

  test('asks before it deletes, and undoes', async () => {
    const file = '.brain/lessons/telegram-allowlist.md';
    const before = wb.read(file);
    await wb.run('Handrail: Manage Lessons…');
    await wb.quickInput.opened('Handrail Lessons');
    await wb.quickInput.clickItemButton(telegram, 'Delete');
    const dialog = await wb.dialog();
    expect(dialog.message).toBe(`Delete “${telegram}”?`);
    await dialog.click('Delete');
    await expect.poll(() => fs.existsSync(wb.file(file))).toBe(false);
    await expect.poll(() => wb.quickInput.items().then((all) => all.map((i) => i.label))).not.toContain(telegram);
    await wb.quickInput.hide();
    await wb.notification(`“${telegram}”: deleted`).click('Undo');
    await expect.poll(() => fs.existsSync(wb.file(file)) && wb.read(file)).toBe(before);
    await wb.editor.opened('telegram-allowlist.md'); // it takes the focus
    await expect.poll(() => lessons().labels()).toContain(telegram);
  });

  test('is put away and used again from the tree, with what is unsaved', async () => {
    const file = '.brain/lessons/token-in-log.md';
    const token = 'Access tokens ended up in the request log';
    const putAway = async () => {
      await lessons().menuAction(token, 'Put Away for Everybody…');
      await wb.quickInput.opened(`Put Away “${token}”`);
      await wb.quickInput.pick('Done with it');
    };
    await wb.editor.open('token-in-log.md');
    await putAway();
    await expect.poll(() => wb.read(file)).toContain('status: archived');
    const icon = async () => (await lessons().rows()).find((r) => r.label === token)?.icon;
    await expect.poll(icon).toBe('archive');
    await lessons().menuAction(token, 'Use Again, for Everybody');
    await expect.poll(() => wb.read(file)).not.toContain('archived');
    await expect.poll(icon).toBe('warning');
    await wb.run('Notifications: Clear All Notifications');
    await putAway();
    await expect.poll(icon).toBe('archive'); // the tree is drawn after the file is written
    await wb.notification(`“${token}”: put away`).click('Undo');
    await expect.poll(() => wb.read(file)).not.toContain('status: archived');
    await expect.poll(icon).toBe('warning');
    await wb.editor.focus();
    await wb.page.keyboard.press('Control+Home');
    await expect.poll(() => wb.editor.text()).not.toContain('archived'); // the editor has what the undo wrote
    await wb.page.keyboard.press('Control+End');
    await wb.editor.insert('\nNever saved by hand.\n');
    await putAway();
    await expect.poll(() => wb.read(file)).toMatch(/status: archived[^]*Never saved by hand\./);
    expect(await wb.editor.dirty()).toBe(false);
    await wb.notification(`“${token}”: put away`).appears();
    expect((await wb.notifications()).map((n) => n.message).join()).not.toContain('newer');
    await wb.run('Notifications: Clear All Notifications');
  });

  test('leaves what was put away out of the picker until it is searched for', async () => {
    const items = () => wb.quickInput.items();
    await wb.run('Handrail: Manage Lessons…');
    await wb.quickInput.opened('Handrail Lessons');
    await expect.poll(() => items().then((all) => all[0]?.group)).toBe('This project');
    expect((await items()).map((i) => i.label)).not.toContain('Access tokens ended up in the request log');
    await wb.quickInput.type('access tokens request log');
    await expect
      .poll(() => items().then((all) => all.find((i) => i.label === 'Access tokens ended up in the request log')?.description))
      .toContain('put away · ');
    await wb.quickInput.hide();
  });

  test('says why a card comes, keeps it from such requests, and takes that back', async () => {
    const request = 'add a telegram command that restarts the server';
    const why = async () => {
      await wb.run('Handrail: Why, and Why Not?…');
      await wb.quickInput.opened('Before which request?');
      await wb.quickInput.type(request);
      await wb.quickInput.accept();
      await wb.quickInput.opened(request); // its placeholder
      return wb.quickInput.items();
    };
    const rows = await why();
    expect(rows[0]).toMatchObject({ group: 'Comes before the request', label: telegram });
    expect(rows[0]!.detail).toContain('Your words stand in it');
    expect(rows.some((i) => i.group === 'Stays out')).toBe(true);
    await wb.screenshot('en/why');
    await wb.quickInput.pick(telegram);
    await wb.quickInput.opened(telegram);
    await wb.quickInput.pick('Not for requests like this');
    await wb.notification('kept from such requests').appears();
    expect((await why()).find((i) => i.label === telegram)?.detail).toContain('You said never');
    await wb.quickInput.hide();
    await wb.run('Handrail: Undo Last Change to Lessons'); // the message may have gone meanwhile
    await wb.run('Notifications: Clear All Notifications');
    await wb.editor.opened('telegram-allowlist.md');
    const first = async () => {
      const [row] = await why();
      await wb.quickInput.hide();
      return row;
    };
    await expect.poll(first, { timeout: 30_000 }).toMatchObject({ group: 'Comes before the request', label: telegram }); // once it is undone
  });

  test('outlives the server', async () => {
    const pid = () => wb.processes('handrail lsp')[0]?.pid;
    const first = pid()!;
    process.kill(first, 'SIGKILL');
    await expect.poll(() => pid() ?? first).not.toBe(first);
    expect(await lessons().labels()).toContain(telegram); // the list stays meanwhile
    wb.write('.brain/lessons/after.md', '---\ntype: lesson\n---\n# Written after the crash\n');
    await expect.poll(() => lessons().labels()).toContain('Written after the crash');
    expect(await wb.notifications()).toEqual([]);
  });

  test('asks a person after the third crash', async () => {
    for (let crash = 2; crash <= 3; crash++) {
      await expect.poll(() => wb.processes('handrail lsp').length).toBe(1);
      const name = `Card ${crash}`;
      wb.write(`.brain/lessons/card-${crash}.md`, `---\ntype: lesson\n---\n# ${name}\n`);
      await expect.poll(() => lessons().labels()).toContain(name); // it is up
      process.kill(wb.processes('handrail lsp')[0]!.pid, 'SIGKILL');
    }
    await wb.notification('crashed three times').appears();
    const bar = wb.statusBar('handrail.footer');
    await expect
      .poll(() => bar.label())
      .toBe('Handrail: Handrail’s server is not running: answers get no lessons. Click to start it again.');
    await expect
      .poll(() =>
        lessons()
          .welcome()
          .then((w) => w.text),
      )
      .toContain('Handrail’s server is not running.');
    await wb.screenshot('stopped');
    await wb.notification('crashed three times').click('Restart Server');
    wb.write('.brain/lessons/again.md', '---\ntype: lesson\n---\n# Written after the restart\n');
    await expect.poll(() => lessons().labels()).toContain('Written after the restart');
    expect(await bar.label()).toBe('Handrail: No answer was checked yet');
  });

  test('a brain that is renamed disappears, and comes back', async () => {
    const [brain, away] = ['.brain', 'away'].map((name) => path.join(wb.workspace, name)) as [string, string];
    fs.renameSync(brain, away);
    await expect.poll(() => lessons().labels()).toEqual([]);
    await expect.poll(() => wb.statusBar('handrail.footer').visible()).toBe(false);
    await expect
      .poll(() =>
        lessons()
          .welcome()
          .then((w) => w.text),
      )
      .toContain('There is no brain in this workspace yet.');
    fs.renameSync(away, brain);
    await expect.poll(() => lessons().labels()).toContain('Written after the restart');
  });
});
