import type { Locator } from 'playwright-core';
import { until } from './until';

/**
 * Lists of VS Code keep only the rows in sight in the DOM. This scrolls through one and reads each row once; the list is
 * left at its top.
 */
export async function readRows<T>(list: Locator, read: (rows: Element[]) => { index: number; value: T }[]): Promise<T[]> {
  const rows = list.locator('.monaco-list-row');
  const found = new Map<number, T>();
  const page = list.page();
  const above = () =>
    list.evaluate((l) => l.getBoundingClientRect().top - l.querySelector('.monaco-list-rows')!.getBoundingClientRect().top);
  const top = async () => {
    for (let hidden = await above(); hidden > 0; hidden = await above()) {
      await page.mouse.wheel(0, -hidden);
      const before = hidden;
      await until(async () => (await above()) < before, 'a list to scroll');
    }
  };
  const box = (await list.boundingBox())!;
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await top();
  while ((await rows.count()) > 0) {
    for (const { index, value } of await rows.evaluateAll(read)) found.set(index, value);
    const last = await rows.evaluateAll((rs) => Math.max(...rs.map((r) => Number(r.getAttribute('data-index')))));
    if (await list.locator(`.monaco-list-row[data-index="${last}"][data-last-element="true"]`).count()) break;
    await page.mouse.wheel(0, box.height / 2);
    await list.locator(`.monaco-list-row[data-index="${last + 1}"]`).waitFor({ state: 'attached' });
  }
  await top();
  return [...found].sort(([a], [b]) => a - b).map(([, value]) => value);
}
