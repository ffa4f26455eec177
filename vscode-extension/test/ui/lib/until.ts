/** For what Playwright cannot wait for: files, processes, and values that are computed from the page. */
export async function until(condition: () => boolean | Promise<boolean>, what: string, timeout = 15_000): Promise<void> {
  const end = performance.now() + timeout;
  while (!(await condition())) {
    if (performance.now() > end) throw new Error(`Waited ${timeout / 1000} s in vain for ${what}`);
    await new Promise((next) => setTimeout(next, 20));
  }
}
