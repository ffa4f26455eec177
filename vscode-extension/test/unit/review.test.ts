import { describe, expect, it } from 'vitest';
import type { Candidate, Draft } from '../../src/protocol.gen';
import { awayRows, waitingRows, type Away } from '../../src/review';
import { card } from './cards';

const candidate = (fields: Partial<Candidate>): Candidate => ({
  id: 'c1',
  trigger: 'complaint',
  title: 'The export loses its BOM',
  situation: '',
  evidence: ['still\n fails', 'go test ./...'],
  at: '2026-03-14T09:00:00Z',
  ...fields,
});
const draft: Draft = { path: 'drafts/a.md', title: 'A', evidence: ['said so'], weak: ['missing-root-cause'] };
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

describe('what comes no more', () => {
  const none: Away = { cards: [], never: [], lines: [] };
  const rows = (away: Partial<Away>) => awayRows({ ...none, ...away }, (path) => `title of ${path}`);

  it('stands in groups, each row with what brings it back', () => {
    const cards = [
      card({ path: 'kept' }),
      card({ path: 'gone', status: 'archived' }),
      card({ path: 'bad', status: 'quarantined', quarantine: 'why' }),
    ];
    const never = [{ id: 'n1', path: 'lessons/a.md', request: 'restart the server', words: ['restart', 'server'], at: '' }];
    const line = { path: 'lessons/a.md', item: 'No token', file: 'a.go', text: 'log(token)', reason: 'a test', at: '' };
    expect(rows({ cards, never, lines: [line] })).toEqual([
      { label: 'Cards that were put away', kind: -1 },
      { label: 'gone', description: 'put away · medium', detail: '', path: 'gone' },
      { label: 'bad', description: 'put away as wrong · medium', detail: 'why', path: 'bad' },
      { label: 'Requests that a card is kept from', kind: -1 },
      { label: '“restart the server”', description: 'title of lessons/a.md', unmute: 'n1' },
      { label: 'Lines that may break an item', kind: -1 },
      { label: 'log(token)', description: 'a.go', detail: 'No token · a test', line },
    ]);
    expect(rows({})).toEqual([]);
  });
});
