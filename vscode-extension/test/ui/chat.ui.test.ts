// @handrail where there is no brain.

import { describe, expect, test } from 'vitest';
import { useWorkbench } from './lib/vitest';
import { vsix } from './stage';

describe('@handrail', () => {
  const wb = useWorkbench({ workspace: { 'README.md': '# Shop\n' }, extensions: [vsix], model: true });

  test('answers without a brain, says so once, and offers to make one', async () => {
    wb.modelAnswers('They eat fish.');
    await wb.chat.open();
    const said = await wb.chat.ask('@handrail what do penguins eat?');
    expect(said.text).toContain('They eat fish.');
    expect(said.text).toContain('⚠ This workspace has no brain: no lesson goes before your question.');
    expect(said.buttons).toEqual(['Create Brain']);
    await wb.screenshot('en/no-brain');
    expect((await wb.chat.ask('@handrail and in winter?')).buttons).toEqual([]);
    await wb.activity('Handrail').open();
    await wb.view('Lessons').clickWelcome('Create Brain');
    await expect.poll(() => wb.exists('.brain')).toBe(true);
  });
});
