// Writes ThirdPartyNotices.txt: the licenses of all that an extension package holds, that
// is, of the Go modules linked into the server on any platform, of the rules embedded in it,
// of Go itself, and of the npm packages bundled into the shim. Fails where one has none.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const run = (file, args, options) => execFileSync(file, args, { cwd: here, encoding: 'utf8', ...options }).trim();

/** Name → folder of everything that is distributed. */
const parts = new Map([
  ['Go and its standard library', run('go', ['env', 'GOROOT'])],
  ['gitleaks (its rules)', join(dirname(here), 'triggers/leaks/gitleaks')],
]);
for (const GOOS of ['linux', 'darwin', 'windows']) {
  const format = '{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}}\t{{.Dir}}{{end}}{{end}}';
  const listed = run('go', ['list', '-deps', '-f', format, './server/cmd/...'], {
    cwd: dirname(here),
    env: { ...process.env, GOOS, CGO_ENABLED: '0' },
    maxBuffer: 1 << 26,
  });
  for (const line of new Set(listed.split('\n').filter(Boolean))) {
    parts.set(...line.split('\t'));
  }
}
for (const folder of run('npm', ['ls', '--omit=dev', '--all', '--parseable']).split('\n').slice(1)) {
  const { name, version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  parts.set(`${name} ${version}`, folder);
}

/** Text → those that it is the license or notice of. */
const texts = new Map();
for (const [name, folder] of [...parts].sort(([a], [b]) => (a < b ? -1 : 1))) {
  const files = readdirSync(folder, { withFileTypes: true })
    .filter((file) => file.isFile() && /^(un)?licen[cs]e|^copying|^notice/i.test(file.name))
    .map((file) => file.name);
  if (!files.some((file) => !/^notice/i.test(file))) {
    throw new Error(`${name} has no license in ${relative(here, folder).split(sep).join('/')}`);
  }
  for (const file of files.sort()) {
    const text = readFileSync(join(folder, file), 'utf8').replaceAll('\r\n', '\n').trim();
    texts.set(text, [...(texts.get(text) ?? []), name]);
  }
}

const rule = '='.repeat(80);
const sections = [...texts].map(([text, names]) => `${rule}\n${names.join('\n')}\n${rule}\n\n${text}\n`);
writeFileSync(
  join(here, 'ThirdPartyNotices.txt'),
  `Handrail contains the software below, each under the license that follows its name.\n\n${sections.join('\n')}`,
);
