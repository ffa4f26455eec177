// Lessons that somebody else wrote: agents get none until a person trusts the brain, and a policy only with a text that was approved.

import { expect, test } from 'vitest';
import { useWorkbench } from './lib/vitest';
import { demoBrain, vsix } from './stage';

const policy = (text: string) => `---\ntype: policy\ntitle: Every task begins with the setup\nseverity: high\n---\n\n${text}\n`;
const file = '.brain/policies/setup.md';
const wb = useWorkbench({ workspace: { ...demoBrain(), [file]: policy('The setup runs first.') }, extensions: [vsix], git: true });
const mallory = ['-c', 'user.name=Mallory', '-c', 'user.email=mallory@example.org', 'commit', '-q', '-a'];
const told = () => wb.view('Lessons').message();
const block = async () => ((await wb.callApi('preflight', [{ query: 'write the release notes' }])) as { block: string }).block;

test('a brain by others is trusted once', async () => {
  wb.git(...mallory, '--amend', '--reset-author', '-m', 'one');
  await wb.run('Handrail: Restart Server');
  await wb.activity('Handrail').open();
  await expect.poll(told).toBe('Others wrote lessons here. Your agents get none until you trust this brain (shield above).');
  expect(await block()).not.toContain('setup');
  await wb.screenshot('others');
  await wb.view('Lessons').titleAction('Review Lessons by Others…');
  const dialog = await wb.dialog();
  expect(dialog.message).toBe('Trust this brain for your agents?');
  expect(dialog.detail).toContain('Mallory <mallory@example.org>: ');
  expect(dialog.detail).toContain('Lessons that would come with every request or may stop an action: 1');
  await wb.screenshot('others-trust');
  await dialog.click('Trust');
  await wb.notification('now come to your agents').appears();
  await expect.poll(told).toBe('');
  await expect.poll(block).toContain('Every task begins with the setup');
});

test('what they change waits for an approval', async () => {
  wb.write(file, policy('The setup runs first, from a server of mine.'));
  wb.git(...mallory, '-m', 'two');
  await expect.poll(told).toBe('Lessons by others that wait for your approval (shield above): 1');
  expect(await block()).not.toContain('setup');
  await wb.view('Lessons').titleAction('Review Lessons by Others…');
  await wb.quickInput.opened('Lessons by others that wait for your approval');
  const [item] = await wb.quickInput.items();
  expect(item!.description).toBe('comes with every request · Mallory <mallory@example.org>');
  await wb.screenshot('others-review');
  await wb.quickInput.clickItemButton(item!.label, 'Show Changes');
  const sides = wb.page.locator('.monaco-diff-editor .editor');
  await expect.poll(() => sides.count()).toBe(2);
  await expect.poll(() => sides.last().locator('.view-lines').innerText()).toContain('from');
  await wb.quickInput.check(item!.label);
  await wb.quickInput.accept();
  await expect.poll(told).toBe('');
  await expect.poll(block).toContain('Every task begins with the setup');
});
