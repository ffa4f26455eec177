import { afterEach, beforeAll } from 'vitest';
import { Workbench, type Options } from './workbench';

/**
 * One window for all tests of a `describe`. A failed test leaves a picture of the window and the logs, and says where. The
 * workbench stands once the first test runs; before that, using it is an error.
 */
export function useWorkbench(options: Options): Workbench {
  let workbench: Workbench | undefined;
  beforeAll(async () => {
    workbench = await Workbench.launch(options);
  }, 120_000);
  afterEach(async ({ task }) => {
    if (task.result?.state !== 'fail' || !workbench) return;
    console.error(`See ${await workbench.evidence(`${task.suite?.name ?? ''} ${task.name}`.trim())}`);
    await workbench.reset();
  });
  return new Proxy({} as Workbench, {
    get: (_, name) => {
      if (!workbench) throw new Error('The workbench starts with the first test of the file');
      const value = Reflect.get(workbench, name, workbench);
      return typeof value === 'function' ? value.bind(workbench) : value;
    },
  });
}
