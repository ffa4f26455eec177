import type { Locator } from 'playwright-core';
import { until } from './until';

/**
 * The rows of a list, each read once. Lists of VS Code keep only the rows in sight in the DOM: a longer one is scrolled
 * through and left at its top. One that was hidden or emptied meanwhile has no rows.
 */
export async function readRows<T>(list: Locator, read: (rows: Element[]) => { index: number; value: T }[]): Promise<T[]> {
  const rows = list.locator('.monaco-list-row');
  const found = new Map<number, T>();
  let last = -1;
  /** Reads what is in sight, and reports whether that is the list's end. */
  const take = async () => {
    const seen = await rows.evaluateAll(read);
    for (const { index, value } of seen) found.set(index, value);
    last = Math.max(-1, ...seen.map(({ index }) => index));
    return seen.length === 0 || (await list.locator(`[data-index="${last}"][data-last-element="true"]`).count()) > 0;
  };
  const short = (await take()) && (found.size === 0 || found.has(0));
  const box = short ? null : await list.boundingBox({ timeout: 1_000 }).catch(() => null);
  if (box) {
    found.clear();
    const { mouse } = list.page();
    await mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    await top();
    while (!(await take())) {
      await mouse.wheel(0, box.height / 2);
      await until(
        async () => (await list.locator(`[data-index="${last + 1}"]`).count()) > 0 || (await rows.count()) === 0,
        'a list to scroll',
      );
    }
    await top();
  }
  return [...found].sort(([a], [b]) => a - b).map(([, value]) => value);

  async function top(): Promise<void> {
    const above = async () =>
      (await rows.evaluateAll((rs) => {
        const list = rs[0]?.closest('.monaco-list');
        return list && list.getBoundingClientRect().top - list.querySelector('.monaco-list-rows')!.getBoundingClientRect().top;
      })) ?? 0;
    for (let hidden = await above(); hidden > 0; hidden = await above()) {
      await list.page().mouse.wheel(0, -hidden);
      const before = hidden;
      await until(async () => (await above()) < before, 'a list to scroll up');
    }
  }
}
