import { expect, it } from 'vitest';
import type { Suggestion, Tidied } from '../../src/protocol.gen';
import { rows } from '../../src/tidy';

const suggestion = (fields: Partial<Suggestion>): Suggestion => ({
  path: 'lessons/a.md',
  title: 'A',
  reason: 'stale',
  ...fields,
});
const tidied = (...suggestions: Suggestion[]): Tidied => ({ suggestions, applied: false, failed: [] });
const titleOf = (path: string) => ({ 'lessons/b.md': 'B' })[path] ?? path;

it('says of each suggestion what would be done, and why', () => {
  const suggestions = [suggestion({ into: 'lessons/b.md', why: 'the same title' }), suggestion({ why: 'not seen or used for 400 days' })];
  expect(
    rows(tidied(...suggestions), titleOf)
      .slice(1)
      .map((r) => [r.label, r.description, r.detail]),
  ).toEqual([
    ['A', 'merge into “B”', 'the same title'],
    ['A', 'put away', 'not seen or used for 400 days'],
  ]);
});

it('chooses nothing for a person', () => {
  const [, row] = rows(tidied(suggestion({})), titleOf);
  expect(row).toMatchObject({ path: 'lessons/a.md' });
  expect(row?.picked).toBeFalsy();
});
