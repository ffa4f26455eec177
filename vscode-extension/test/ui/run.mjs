// Runs the tests in this folder: `node test/ui/run.mjs [arguments of vitest]`. It installs what they drive and uses the
// Node that comes with it, because vitest asks for 22 at least.

import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { install } from './setup.mjs';

const here = import.meta.dirname;
const vitest = path.join(here, '..', '..', 'node_modules', 'vitest', 'vitest.mjs');
const args = [vitest, 'run', '--config', path.join(here, 'vitest.config.mts'), ...process.argv.slice(2)];
process.exitCode = spawnSync(install().node, args, { stdio: 'inherit' }).status ?? 1;
