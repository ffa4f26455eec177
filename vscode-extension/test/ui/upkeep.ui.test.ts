// What keeps a brain in shape: what contradicts is settled, what says the same is merged, cards are listed, what a
// turn recorded is taken back, and what came of a turn becomes a draft. A person says so each time.

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
    await wb.run('Handrail: Consolidate Lessons…');
    await wb.quickInput.opened('Consolidate Lessons');
    const items = await wb.quickInput.items();
    expect(items.filter((i) => i.group).map((i) => i.group)).toEqual(['Contradict each other', 'Say the same']);
    const both = items.find((i) => i.description === 'look at both')!;
    expect(both.detail).toBe('Unknown fields are never an error in the decoder ↔ Unknown fields are an error in the decoder');
    await wb.screenshot('consolidate');
    await wb.quickInput.pick(both.label);
    const sides = wb.page.locator('.monaco-diff-editor .editor');
    await expect.poll(() => sides.count()).toBe(2);
    await expect.poll(() => sides.first().locator('.view-lines').innerText()).toContain('Old');
    await wb.notification('contradict each other').click('Ignore the Right One');
    await expect.poll(() => has('.brain/lessons/strict.md', 'status: ignored')).toBe(true);
    await wb.notification('is ignored').click('Undo');
    await expect.poll(() => wb.read('.brain/lessons/strict.md')).toBe(before);
    await expect.poll(() => wb.editor.title()).toBe('strict.md');
  });

  test('merges what says the same', async () => {
    await wb.run('Handrail: Consolidate Lessons…');
    await wb.quickInput.opened('Consolidate Lessons');
    const twin = (await wb.quickInput.items()).find((i) => i.description.startsWith('merge into'))!;
    expect(twin.detail).toBe('the same title');
    await wb.quickInput.pick(twin.label);
    await wb.notification('was merged into').appears();
    await expect.poll(() => [wb.exists('.brain/lessons/strict.md'), wb.exists('.brain/lessons/twin.md')].sort()).toEqual([false, true]);
    await wb.notification('was merged into').click('Undo');
    await expect.poll(() => wb.exists('.brain/lessons/strict.md') && wb.exists('.brain/lessons/twin.md')).toBe(true);
    await expect.poll(() => wb.editor.title()).toMatch(/^(strict|twin)\.md$/);
  });

  test('is listed in BRAIN.md, which follows the cards once that is asked for', async () => {
    await wb.run('Handrail: Write BRAIN.md');
    await wb.editor.opened('BRAIN.md');
    expect(has('.brain/BRAIN.md', '[Decode settings](<lessons/twin.md>)')).toBe(true);
    await wb.settings({ 'handrail.overview.onChange': true });
    wb.write('.brain/lessons/late.md', lesson('A card that came late', 'It stands in the list'));
    await expect.poll(() => has('.brain/BRAIN.md', '[A card that came late](<lessons/late.md>)')).toBe(true);
    expect(wb.read('.brain/BRAIN.md')).not.toContain('BRAIN.md>');
  });
});

describe('한국어로', () => {
  const wb = useWorkbench({ workspace, extensions: [vsix], locale: 'ko' });

  test('무엇이 서로 어긋나는지 말한다', async () => {
    await wb.activity('Handrail').open();
    await expect.poll(() => wb.view('교훈').labels()).toContain('How do I decode settings?');
    await wb.run('Handrail: 교훈 모으기…');
    await wb.quickInput.opened('교훈 모으기');
    expect((await wb.quickInput.items()).filter((i) => i.group).map((i) => i.group)).toEqual(['서로 어긋나는 것', '같은 말을 하는 것']);
    await wb.quickInput.hide();
  });
});
