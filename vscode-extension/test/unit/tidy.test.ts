import { expect, it } from 'vitest';
import type { Suggestion } from '../../src/protocol.gen';
import { rows } from '../../src/tidy';

const suggestion = (fields: Partial<Suggestion>): Suggestion => ({
  path: 'lessons/a.md',
  title: 'A',
  reason: 'stale',
  utility: 1,
  ...fields,
});
const titleOf = (path: string) => ({ 'lessons/b.md': 'B' })[path] ?? path;

it('says of each suggestion what would be done, and why', () => {
  const suggestions = [suggestion({ into: 'lessons/b.md', why: 'the same title' }), suggestion({ why: 'among the least useful' })];
  expect(rows(suggestions, titleOf).map((r) => [r.label, r.description, r.detail])).toEqual([
    ['A', 'merge into “B”', 'the same title'],
    ['A', 'archive', 'among the least useful'],
  ]);
});

it('chooses nothing for a person', () => {
  const [row] = rows([suggestion({})], titleOf);
  expect(row).toMatchObject({ path: 'lessons/a.md' });
  expect(row?.picked).toBeFalsy();
});
