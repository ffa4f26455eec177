import { describe, expect, it } from 'vitest';
import { groups } from '../../src/consolidate';
import type { Consolidation, LogRow } from '../../src/protocol.gen';
import { turns } from '../../src/upkeep';

const names: Record<string, string> = { a: 'Card A', b: 'Card B' };
const card = (path: string) => names[path] ?? path;

describe('what there is to settle', () => {
  const found: Consolidation = { twins: [], recurring: [], contradictions: [] };

  it('stands in groups, contradictions first, and an empty group does not', () => {
    const twin = {
      path: 'a',
      into: 'b',
      title: 'Card A',
      reason: 'same-words' as const,
      utility: 1,
      why: '90 % of the words are the same',
    };
    const pattern = { key: 'k', trigger: 'complaint', words: 'it broke' };
    const candidate = {
      id: 'C',
      trigger: 'complaint',
      pattern,
      title: 'Again',
      situation: '',
      evidence: ['it broke'],
      similar: 'a',
      at: '',
    };
    const contradiction = { a: 'a', itemA: 'Fields are an error', b: 'b', itemB: 'Fields are never an error' };
    const list = groups({ twins: [twin], recurring: [candidate], contradictions: [contradiction] }, card);
    expect(list.map((g) => [g.label, ...g.rows.map((r) => [r.label, r.description, r.detail])])).toEqual([
      ['Contradict each other', ['Card A ↔ Card B', 'look at both', 'Fields are an error ↔ Fields are never an error']],
      ['Say the same', ['Card A', 'merge into “Card B”', '90 % of the words are the same']],
      ['Came up again', ['Again', 'make it one with “Card A”', 'it broke']],
    ]);
    expect(groups({ ...found, twins: [twin] }, card).map((g) => g.label)).toEqual(['Say the same']);
    expect(groups(found, card)).toEqual([]);
  });
});

describe('the turns that can be taken back', () => {
  const row = (fields: Partial<LogRow>): LogRow => ({ act: 'x', at: '2026-11-20T10:00:00Z', verb: 'create', path: 'a', ...fields });

  it('are those that recorded a card which is still there, each once', () => {
    const log = [
      row({ path: 'b', origin: 'T2', at: '2026-11-21T10:00:00Z' }),
      row({ path: 'a', origin: 'T2' }),
      row({ path: 'a', origin: 'T1', verb: 'bump' }),
      row({ path: 'a', origin: 'T3', undone: true }),
      row({ path: 'gone', origin: 'T4' }),
      row({ path: 'a' }),
    ];
    expect(turns(log, (path) => path in names)).toEqual([{ origin: 'T2', at: '2026-11-21T10:00:00Z', paths: ['b', 'a'] }]);
  });
});
