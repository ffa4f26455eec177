// What keeps a brain in shape: what contradicts is settled, what says the same is merged. A person says so each time.

import { describe, expect, test } from 'vitest';
import { useWorkbench } from './lib/vitest';
import { demoBrain, vsix } from './stage';

const lesson = (title: string, item: string) =>
  `---\ntype: lesson\ntitle: ${title}\nlast-seen: 2026-10-01\n---\n\n## Root Cause\n\nThe decoder took whatever came.\n\n## Prevention Checklist\n\n- [ ] ${item}\n`;

const workspace = {
  ...demoBrain(),
  '.brain/lessons/strict.md': lesson('How do I decode settings?', 'Unknown fields are an error in the decoder'),
  '.brain/lessons/lenient.md': lesson('Old clients send more fields', 'Unknown fields are never an error in the decoder'),
  '.brain/lessons/twin.md': lesson('Decode settings', 'The settings are decoded once'),
};

describe('a brain', () => {
  const wb = useWorkbench({ workspace, extensions: [vsix] });
  const labels = () => wb.view('Lessons').labels();
  const has = (file: string, text: string) => wb.exists(file) && wb.read(file).includes(text);

  test('shows what contradicts each other side by side, and one of the two is put out of use', async () => {
    await wb.activity('Handrail').open();
    await expect.poll(labels).toContain('How do I decode settings?');
    const before = wb.read('.brain/lessons/strict.md');
    await wb.run('Handrail: Tidy Lessons…');
    await wb.quickInput.opened('Tidy Lessons');
    const items = await wb.quickInput.items();
    expect(items.filter((i) => i.group).map((i) => i.group)).toEqual(['Merge or put away', 'Contradict each other']);
    const both = items.find((i) => i.description === 'look at both')!;
    expect(both.detail).toBe('Unknown fields are never an error in the decoder ↔ Unknown fields are an error in the decoder');
    await wb.screenshot('consolidate');
    await wb.quickInput.check(both.label);
    await wb.quickInput.accept();
    const sides = wb.page.locator('.monaco-diff-editor .editor');
    await expect.poll(() => sides.count()).toBe(2);
    await expect.poll(() => sides.first().locator('.view-lines').innerText()).toContain('Old');
    await wb.notification('contradict each other').click('Put Away the Right One');
    await expect.poll(() => has('.brain/lessons/strict.md', 'status: archived')).toBe(true);
    await wb.notification(': put away').click('Undo');
    await expect.poll(() => wb.read('.brain/lessons/strict.md')).toBe(before);
    await expect.poll(() => wb.editor.title()).toBe('strict.md');
  });

  test('merges what says the same', async () => {
    await wb.run('Handrail: Tidy Lessons…');
    await wb.quickInput.opened('Tidy Lessons');
    const twin = (await wb.quickInput.items()).find((i) => i.description.startsWith('merge into'))!;
    expect(twin.detail).toBe('the same title');
    await wb.quickInput.check(twin.label);
    await wb.quickInput.accept();
    await wb.notification('Cards tidied: 1').appears();
    await expect.poll(() => [wb.exists('.brain/lessons/strict.md'), wb.exists('.brain/lessons/twin.md')].sort()).toEqual([false, true]);
    await wb.notification('Cards tidied: 1').click('Undo');
    await expect.poll(() => wb.exists('.brain/lessons/strict.md') && wb.exists('.brain/lessons/twin.md')).toBe(true);
  });
});

describe('한국어로', () => {
  const wb = useWorkbench({ workspace, extensions: [vsix], locale: 'ko' });

  test('무엇이 서로 어긋나는지 말한다', async () => {
    await wb.activity('Handrail').open();
    await expect.poll(() => wb.view('교훈').labels()).toContain('How do I decode settings?');
    await wb.run('Handrail: 교훈 정리…');
    await wb.quickInput.opened('교훈 정리');
    expect((await wb.quickInput.items()).filter((i) => i.group).map((i) => i.group)).toEqual(['합치거나 치우기', '서로 어긋나는 것']);
    await wb.quickInput.hide();
  });
});
