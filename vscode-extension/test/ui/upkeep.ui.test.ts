// What keeps a brain in shape: what says the same is merged, and a person says so.

import { describe, expect, test } from 'vitest';
import { useWorkbench } from './lib/vitest';
import { demoBrain, vsix } from './stage';

const lesson = (title: string, item: string) =>
  `---\ntype: lesson\ntitle: ${title}\nlast-seen: 2026-10-01\n---\n\n## Root Cause\n\nThe decoder took whatever came.\n\n## Prevention Checklist\n\n- [ ] ${item}\n`;

const workspace = {
  ...demoBrain(),
  '.brain/lessons/strict.md': lesson('How do I decode settings?', 'Unknown fields are an error in the decoder'),
  '.brain/lessons/twin.md': lesson('Decode settings', 'The settings are decoded once'),
};

describe('a brain', () => {
  const wb = useWorkbench({ workspace, extensions: [vsix] });
  const labels = () => wb.view('Lessons').labels();

  test('merges what says the same', async () => {
    await wb.activity('Handrail').open();
    await expect.poll(labels).toContain('How do I decode settings?');
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
