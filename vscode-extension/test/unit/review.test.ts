import { expect, it } from 'vitest';
import type { Candidate, Draft, Past } from '../../src/protocol.gen';
import { mutedRows, pastRows, waitingRows } from '../../src/review';

const candidate = (fields: Partial<Candidate>): Candidate => ({
  id: 'c1',
  trigger: 'complaint',
  title: 'The export loses its BOM',
  situation: '',
  evidence: ['still\n fails', 'go test ./...'],
  at: '2026-03-14T09:00:00Z',
  pattern: { key: 'k1', trigger: 'complaint', words: 'still fails' },
  ...fields,
});
const draft: Draft = { path: 'drafts/a.md', title: 'A', evidence: ['said so'], weak: ['missing-root-cause'] };
const past = (verb: string, fields: Partial<Candidate> = {}, made?: string): Past => ({
  at: '2026-04-14T09:00:00Z',
  verb,
  candidate: candidate(fields),
  ...(made && { made }),
});

it('lists what waits with its evidence, the newest first, drafts below, and chooses nothing', () => {
  const rows = waitingRows({ candidates: [candidate({ id: 'old' }), candidate({ id: 'new', times: 3 })], drafts: [draft] });
  expect(rows.map((r) => [r.id ?? r.path, r.description, r.detail])).toEqual([
    ['new', 'It failed again · 3×', 'still fails · go test ./...'],
    ['old', 'It failed again', 'still fails · go test ./...'],
    [undefined, undefined, undefined],
    ['drafts/a.md', 'drafts/a.md', 'said so'],
  ]);
  expect(rows.some((r) => r.picked)).toBe(false);
  expect(waitingRows({ candidates: [candidate({})], drafts: [] })).toHaveLength(1);
});

it('says in words what is never asked about', () => {
  const muted = [{ pattern: candidate({}).pattern, title: 'The export loses its BOM', at: '' }];
  const never = [{ id: 'n1', path: 'lessons/a.md', request: 'restart the server', words: ['restart', 'server'], at: '' }];
  expect(mutedRows({ muted, never })).toEqual([
    { label: '“still fails”', description: 'It failed again', detail: 'The export loses its BOM', id: 'k1' },
    { label: '“restart the server”', description: 'kept from this card', detail: 'lessons/a.md', id: 'n1' },
  ]);
});

it('offers each candidate that was put away once, by the last that became of it', () => {
  const list = [
    past('reopen', { id: 'waits' }),
    past('expire', { id: 'a' }),
    past('reopen', { id: 'a' }),
    past('record', { id: 'b' }, 'drafts/b.md'),
    past('dismiss', { id: 'b' }),
    past('mute', { id: 'lost', title: '' }),
  ];
  expect(pastRows(list, ['waits'], (at) => at.slice(0, 10)).map((r) => [r.id, r.description])).toEqual([['a', 'expired · 2026-04-14']]);
});
