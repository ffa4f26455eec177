// Does the driver itself work? A probe extension has one of everything it must operate.

import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { useWorkbench } from './lib/vitest';
import type { Workbench } from './lib/workbench';

const fixture = (name: string) => path.join(import.meta.dirname, 'fixtures', name);
const env = (dir: string) => ({ PROBE_LOG: path.join(dir, 'probe.jsonl') });

/** What the probe wrote down under this name. */
function logged(wb: Workbench, event: string): Record<string, unknown>[] {
  const file = path.join(wb.dir, 'probe.jsonl');
  if (!fs.existsSync(file)) return [];
  const lines = fs
    .readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((l) => JSON.parse(l));
  return lines.filter((l) => l.event === event).map(({ event: _, ...rest }) => rest);
}

describe('in English', () => {
  const wb = useWorkbench({ workspace: fixture('workspace'), extensions: [fixture('probe')], model: true, env });

  test('a quick pick is read and clicked', async () => {
    await wb.run('Probe: Pick a Thing');
    await wb.quickInput.opened('Things');
    expect(await wb.quickInput.placeholder()).toBe('Pick one');
    const items = await wb.quickInput.items();
    expect(items).toHaveLength(42);
    expect(items[0]).toEqual({
      label: 'First',
      description: 'one',
      detail: 'The first thing',
      group: 'Group',
      buttons: ['Edit', 'Delete'],
    });
    expect(items[41].label).toBe('Other 40');
    await wb.quickInput.clickItemButton('First', 'Delete');
    await wb.quickInput.clickButton('Refresh');
    await wb.quickInput.pick('Other 40');
    await expect.poll(() => logged(wb, 'accepted')).toEqual([{ items: ['Other 40'] }]);
    expect(logged(wb, 'button')).toEqual([{ item: 'First', button: 'Delete' }]);
    expect(logged(wb, 'title button')).toEqual([{ button: 'Refresh' }]);
  });

  test('an input box, a dialog and a notification are answered', async () => {
    await wb.run('Probe: Ask');
    await wb.quickInput.opened('Name');
    await wb.quickInput.type('Bob');
    await wb.quickInput.accept();
    const dialog = await wb.dialog();
    expect(dialog).toMatchObject({ message: 'Keep Bob?', detail: 'There is no way back.', buttons: ['Cancel', 'Keep'] });
    await dialog.click('Keep');
    await wb.notification('Kept Bob').appears();
    expect(await wb.notifications()).toEqual([{ message: 'Kept Bob', severity: 'info', source: 'Probe', buttons: ['Open', 'Later'] }]);
    await wb.notification('Kept Bob').click('Later');
    await expect.poll(() => logged(wb, 'notified')).toEqual([{ next: 'Later' }]);
  });

  test('a tree is read, opened and acted on', async () => {
    await expect.poll(() => wb.activity('Probe').badge()).toBe('3');
    await wb.activity('Probe').open();
    const view = wb.view('Things');
    await expect.poll(() => view.labels()).toEqual(['fruit', 'nuts']);
    await view.expand('fruit');
    await expect.poll(() => view.labels()).toEqual(['fruit', 'apple', 'pear', 'nuts']);
    expect((await view.rows())[0]).toMatchObject({ description: '2', level: 1, expanded: true });
    expect(await view.tooltip('pear')).toBe('All about pear');
    await view.inlineAction('pear', 'Delete');
    expect(await view.menu('nuts')).toEqual(['Rename…']);
    await view.menuAction('nuts', 'Rename…');
    await expect.poll(() => logged(wb, 'rename')).toEqual([{ node: 'nuts' }]);
    expect(logged(wb, 'delete')).toEqual([{ node: 'pear' }]);
  });

  test('a status bar item is read and clicked', async () => {
    const status = wb.statusBar('probe.status');
    expect(await status.text()).toBe('Probe 2');
    expect(await status.icons()).toEqual(['beaker']);
    expect(await status.tooltip()).toEqual({ text: 'Two things, one', links: ['https://example.com'] });
    await status.click();
    await expect.poll(() => logged(wb, 'report').at(-1)).toEqual({ language: 'en', hello: 'Hello probe', trusted: true });
    await wb.screenshot('harness');
  });

  test('an editor is read, changed and saved', async () => {
    await wb.editor.open('note.md');
    expect(await wb.editor.title()).toBe('note.md');
    await expect.poll(() => wb.editor.squiggles()).toEqual(['warning']);
    expect(await wb.problems()).toEqual([{ severity: 'warning', message: 'This is wrong', source: '', position: '[Ln 3, Col 9]' }]);
    await wb.editor.focus();
    await wb.editor.goTo(2);
    await wb.editor.insert('One more line.');
    expect(await wb.editor.dirty()).toBe(true);
    expect(await wb.editor.text()).toBe('# Note\nOne more line.\nNothing wrong here.\n');
    expect(await wb.editor.position()).toEqual({ line: 2, column: 15 });
    await wb.editor.save();
    await expect.poll(() => wb.read('note.md')).toBe('# Note\nOne more line.\nNothing wrong here.\n');
  });

  test('a terminal reports the exit code of a command', async () => {
    const terminal = await wb.terminal();
    await terminal.run('false');
    await terminal.run('echo done');
    expect(await terminal.text()).toContain('$ echo done\ndone');
    await expect
      .poll(() => logged(wb, 'ran'))
      .toEqual([
        { command: 'false', exitCode: 1 },
        { command: 'echo done', exitCode: 0 },
      ]);
    await terminal.kill();
  });

  test('the chat shows the answer of the fake model', async () => {
    wb.modelAnswers('The **answer** is 42.');
    await wb.chat.open();
    const answer = await wb.chat.ask('@probe what is it?');
    expect(answer).toEqual({
      from: 'Probe',
      text: 'The answer is 42.',
      references: ['note.md'],
      buttons: ['Report it'],
      links: [],
      error: '',
    });
    expect(wb.modelRequests().at(-1)!.messages).toEqual([{ role: 'user', text: 'Echo: what is it?' }]);
    const reports = logged(wb, 'report').length;
    await wb.chat.click('Report it');
    await expect.poll(() => logged(wb, 'report').length).toBe(reports + 1);
  });

  test('an API that is not there is an error', async () => {
    await expect(wb.callApi('preflight', [{ text: 'x' }])).rejects.toThrow();
  });
});

describe('in Korean, in a folder without trust', () => {
  const wb = useWorkbench({ workspace: fixture('workspace'), extensions: [fixture('probe')], locale: 'ko', trust: 'restricted', env });

  test('extensions speak Korean', async () => {
    expect(await wb.commands('Probe: 무엇이든')).toEqual(['Probe: 무엇이든 고르기']);
    await wb.statusBar('probe.status').click();
    await expect.poll(() => logged(wb, 'report')).toEqual([{ language: 'ko', hello: 'probe 안녕하세요', trusted: false }]);
  });

  test('trust can be given', async () => {
    await wb.trust();
    await wb.statusBar('probe.status').click();
    await expect.poll(() => logged(wb, 'report').at(-1)).toMatchObject({ trusted: true });
  });
});
