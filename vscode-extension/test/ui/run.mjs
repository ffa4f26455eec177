// Runs the tests in this folder: `node test/ui/run.mjs [arguments of vitest]`. It installs what they drive and uses the
// Node that comes with it, because vitest asks for 22 at least.
//
// A file that fails runs once more, in a VS Code of its own: a fault of ours fails twice, a window that lost its focus on a
// busy machine does not. What passed only then is named at the end.

import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { install } from './setup.mjs';

const here = import.meta.dirname;
const vitest = path.join(here, '..', '..', 'node_modules', 'vitest', 'vitest.mjs');
const report = path.join(here, 'out', 'report.json');
const { node } = install();

/** Runs tests; returns the exit status and the files that failed, as paths. */
function run(args) {
  fs.rmSync(report, { force: true });
  const reporters = ['--reporter', 'default', '--reporter', 'json', '--outputFile.json', report];
  const { status } = spawnSync(node, [vitest, 'run', '--config', path.join(here, 'vitest.config.mts'), ...reporters, ...args], {
    stdio: 'inherit',
  });
  const files = fs.existsSync(report) ? JSON.parse(fs.readFileSync(report, 'utf8')).testResults : [];
  return { status: status ?? 1, failed: files.filter((f) => f.status === 'failed').map((f) => f.name) };
}

let { status, failed } = run(process.argv.slice(2));
if (status !== 0 && failed.length > 0) {
  const names = failed.map((f) => path.relative(here, f));
  console.error(`Once more, in a VS Code of its own: ${names.join(', ')}`);
  ({ status } = run(failed));
  if (status === 0) console.error(`Passed only the second time: ${names.join(', ')}`);
}
process.exitCode = status;
