'use strict';
// Starts the program that lies in the package of this platform, which npm installs beside this one.
const { spawn } = require('node:child_process');
const { dirname, join } = require('node:path');
const { optionalDependencies, repository } = require('./package.json');

const korean = /^ko/.test(process.env.LC_ALL || process.env.LC_MESSAGES || process.env.LANG || '');

function find(name) {
  const platform = `handrail-${process.platform}-${process.arch}`;
  const id = Object.keys(optionalDependencies).find((each) => each.endsWith(`/${platform}`));
  if (!id) {
    return fail(
      `There is no build for ${process.platform} on ${process.arch}; build it from its source: ${repository.url}`,
      `${process.platform} ${process.arch}용 빌드는 없습니다. 소스에서 만드세요: ${repository.url}`,
    );
  }
  try {
    const file = process.platform === 'win32' ? `${name}.exe` : name;
    return join(dirname(require.resolve(`${id}/package.json`)), 'bin', file);
  } catch {
    return fail(
      `The package ${id} is missing, as with --omit=optional; install handrail again without that.`,
      `${id} 패키지가 없습니다. --omit=optional 없이 handrail을 다시 설치하세요.`,
    );
  }
}

function fail(english, other) {
  console.error(`handrail: ${korean ? other : english}`);
  process.exit(1);
}

module.exports = (name) => {
  const child = spawn(find(name), process.argv.slice(2), { stdio: 'inherit' });
  // A terminal sends its signals to both; the program decides what they mean.
  for (const signal of ['SIGINT', 'SIGQUIT']) process.on(signal, () => {});
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('error', (err) => fail(`The program does not start: ${err.message}`, `프로그램이 시작되지 않습니다: ${err.message}`));
  child.on('exit', (code, signal) => {
    if (!signal) process.exit(code);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
};
