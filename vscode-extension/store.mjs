// Writes dist/README.md and CHANGELOG.md for the package: a page of an extension shows pictures from https: and data: alone,
// and links to files of the repository lead nowhere from it.
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const inlined = readFileSync(join(here, 'README.md'), 'utf8').replace(
  /(!\[[^\]]*\]\()(\.\.\/docs\/images\/[^)]+)\)/g,
  (_, alt, file) => `${alt}data:image/png;base64,${readFileSync(join(here, file)).toString('base64')})`,
);
writeFileSync(join(here, 'dist/README.md'), inlined);
const changes = readFileSync(join(here, '../CHANGELOG.md'), 'utf8');
writeFileSync(join(here, 'CHANGELOG.md'), changes.replace(/\[([^\]]+)\]\((?!https:)[^)]+\)/g, '$1'));
