// A large brain in its tree, what cannot be read of it, and a window with two brains.

import { describe, expect, test } from 'vitest';
import { useWorkbench } from './lib/vitest';
import { pictures, themes } from './lib/workbench';
import { vsix } from './stage';

const animals = ['otter', 'walrus', 'heron', 'badger', 'lynx', 'ferret', 'bison', 'marmot', 'tapir', 'gecko'];
const things = ['ledger', 'printer', 'scanner', 'router', 'kettle', 'lantern'];
const subject = (i: number) => `The ${animals[i % 10]} ${things[Math.floor(i / 10) % 6]}`;

/** 600 cards in 12 projects; the window's folder is called "workspace". */
function many(): Record<string, string> {
  const files: Record<string, string> = {};
  for (let i = 0; i < 600; i++) {
    const project = i % 12 === 0 ? 'workspace' : `project-${i % 12}`;
    const severity = ['low', 'medium', 'high'][i % 3];
    const seen = `2026-${String(1 + (i % 9)).padStart(2, '0')}-0${1 + (i % 8)}`;
    const head = `type: ${i % 5 === 0 ? 'playbook' : 'lesson'}\nproject: ${project}\nseverity: ${severity}\nlast-seen: ${seen}`;
    const body = `# Place ${1000 + i} went wrong\n\n## Root Cause\n\n${subject(i)} was never looked at in place ${i}.\n\n## Prevention Checklist\n\n- [ ] ${subject(i)} is looked at\n`;
    files[`.brain/lessons/card-${i}.md`] = `---\n${head}${i === 36 ? '\nverified: true' : ''}\n---\n${body}`;
  }
  files['.brain/lessons/torn.md'] = '---\ntype: lesson\nproject: [workspace\n---\n# Torn frontmatter\n';
  files['.brain/lessons/sides.md'] =
    '---\ntype: lesson\nproject: workspace\n---\n# Two sides\n\n<<<<<<< HEAD\nours\n=======\ntheirs\n>>>>>>> x\n';
  return files;
}

describe('600 cards in 12 projects', () => {
  const wb = useWorkbench({ workspace: many(), extensions: [vsix], settings: { 'workbench.tree.enableStickyScroll': false } });
  const lessons = () => wb.view('Lessons');
  const cards = async () => (await lessons().rows()).filter((r) => r.level === 3).map((r) => r.label);

  test('begin with this project; the others are folded and counted', async () => {
    await wb.activity('Handrail').open();
    const top = () =>
      lessons()
        .rows()
        .then((all) => all.filter((r) => r.level === 1).map((r) => `${r.label} ${r.description}${r.expanded ? ' open' : ''}`));
    const others = Array.from({ length: 11 }, (_, i) => `project-${i + 1} 50`).sort((a, b) => a.localeCompare(b));
    await expect
      .poll(top, { timeout: 30_000 })
      .toEqual(['workspace 51 · cannot be read: 1 open', 'All projects 1 · cannot be read: 1', ...others]);
    await lessons().click('workspace'); // folds it
  });

  test('show what cannot be read first, and why where it is open', async () => {
    await lessons().expand('All projects');
    const row = (label: string) =>
      lessons()
        .rows()
        .then((all) => all.find((r) => r.label === label));
    await expect.poll(() => row('Torn frontmatter')).toMatchObject({ icon: 'error', description: 'cannot be read' });
    await lessons().expand('workspace');
    await lessons().expand('Lessons');
    expect(await row('Two sides')).toMatchObject({ icon: 'git-merge', description: 'in conflict' });
    expect(await row('Place 1036 went wrong')).toMatchObject({ aria: expect.stringContaining('verified') });
    for (const [name, theme] of Object.entries(pictures ? themes : {})) {
      await wb.settings({ 'workbench.colorTheme': theme.name });
      await wb.screenshot(`tree-${name}`);
    }
    await wb.settings({ 'workbench.colorTheme': themes.light.name });

    await lessons().click('workspace'); // folded, all rows are in sight while they change
    wb.write('.brain/lessons/torn.md', '---\ntype: lesson\nproject: workspace\n---\n# Torn frontmatter\n');
    await expect.poll(() => row('workspace')).toMatchObject({ description: '52 · cannot be read: 1' });
    await expect.poll(() => row('All projects')).toBeUndefined();
    await lessons().expand('workspace');
    await wb.run('View: Toggle Panel Visibility');
  });

  test('are put away several at a time, and come back with one word', async () => {
    await expect.poll(() => cards().then((all) => all.length)).toBeGreaterThan(10);
    const three = (await cards()).slice(1, 4);
    await lessons().click(three[0]!);
    await lessons().click(three[2]!, 'Shift');
    await wb.page.keyboard.press('Delete');
    const dialog = await wb.dialog();
    expect(dialog.message).toBe('Delete “3 lessons”?');
    await dialog.click('Delete');
    await wb.notification('“3 lessons”: deleted').appears();
    await expect.poll(cards).not.toContain(three[1]);
    await wb.notification('“3 lessons”: deleted').click('Undo');
    await expect.poll(() => cards().then((all) => three.every((t) => all.includes(t)))).toBe(true);

    await lessons().click(three[0]!);
    await lessons().click(three[1]!, 'Control');
    await lessons().menuAction(three[1]!, 'Put Away for Everybody…');
    await wb.quickInput.pick('Done with it');
    const archived = () =>
      lessons()
        .rows()
        .then((all) => all.filter((r) => three.includes(r.label) && r.icon === 'archive').length);
    await expect.poll(archived).toBe(2);
  });

  test('have a walkthrough whose pictures follow the theme, and whose steps tick', async () => {
    await wb.run('View: Close All Editors');
    await wb.run('Welcome: Open Walkthrough...');
    await wb.quickInput.opened();
    await wb.quickInput.pick('Get Started with Handrail');
    const page = wb.page.locator('.gettingStartedContainer');
    await page.getByText('See it used').first().click();
    await expect.poll(() => page.locator('.step-list-container .codicon-getting-started-step-checked').count()).toBeGreaterThanOrEqual(2);
    expect(await page.innerText()).not.toContain('`');
    await wb.run('View: Toggle Primary Side Bar Visibility'); // the picture needs the room
    for (const [name, theme] of Object.entries(pictures ? themes : {})) {
      await wb.settings({ 'workbench.colorTheme': theme.name });
      await page.waitFor();
      await wb.screenshot(`walkthrough-${name}`);
    }
  });
});

describe('a window with two brains', () => {
  const wb = useWorkbench({
    workspace: {
      'all.code-workspace': '{"folders":[{"path":"shop"},{"path":"bank"},{"path":"docs"}]}',
      'shop/.brain/lessons/a.md': '---\ntype: lesson\n---\n# Carts expire at midnight\n',
      'shop/cart.txt': 'cart',
      'bank/.brain/lessons/b.md': '---\ntype: lesson\n---\n# Interest is rounded down\n',
      'bank/.brain/lessons/torn.md': '---\ntype: [lesson\n---\n# Torn\n',
      'bank/interest.txt': 'interest',
      'docs/page.txt': 'page',
    },
    window: 'all.code-workspace',
    extensions: [vsix],
  });
  const lessons = () => wb.view('Lessons');

  test('shows that of the folder in front, and says which', async () => {
    await wb.activity('Handrail').open();
    await expect.poll(() => lessons().labels()).toEqual(['Lessons', 'Carts expire at midnight']);
    expect(await lessons().heading()).toBe('Lessons · shop');
    await wb.editor.open('interest.txt');
    await expect.poll(() => lessons().labels()).toEqual(['Lessons', 'Torn', 'Interest is rounded down']);
    expect(await lessons().heading()).toBe('Lessons · bank');
    const found = (await wb.callApi('retrieve', [{ query: 'interest is rounded' }])) as { lessons: { title: string }[] };
    expect(found.lessons.map((l) => l.title)).toEqual(['Interest is rounded down']);
    await wb.screenshot('brains');
    await wb.editor.open('page.txt'); // of no brain
    expect(await lessons().heading()).toBe('Lessons · bank');
  });

  test('can be switched to the other', async () => {
    await lessons().titleAction('Switch Brain…');
    await wb.quickInput.opened('Lessons of which folder?');
    expect((await wb.quickInput.items()).map((i) => [i.label, i.description])).toEqual([
      ['shop', ''],
      ['bank', 'shown now'],
    ]);
    await wb.quickInput.pick('shop');
    await expect.poll(() => lessons().labels()).toEqual(['Lessons', 'Carts expire at midnight']);
    expect(await lessons().heading()).toBe('Lessons · shop');
    expect(await wb.problems()).toEqual([]); // those of the other brain
    expect(await wb.notifications()).toEqual([]);
  });
});
