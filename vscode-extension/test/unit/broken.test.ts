import { describe, expect, it } from 'vitest';
import { marked, refind } from '../../src/broken';
import { footerOf, verdict } from './cards';

const uri = (path: string) => `file://${path}`;
const place = { file: 'send.go', path: '/work/send.go', line: 3, text: 'log.Print(token)' };
const broken = verdict({ item: 'No token is logged', state: 'broken', place });
const footer = footerOf({ unaddressed: [broken], verdicts: [broken] });
const mark = { uri: 'file:///work/send.go', line: 3, text: 'log.Print(token)', verdict: broken };

describe('marks', () => {
  it('stand where a line breaks an item, and nowhere without a line', () => {
    const elsewhere = verdict({ item: 'No force push', state: 'broken', place: { command: 'git push -f' } });
    const open = verdict({ item: 'open', state: 'open', place });
    expect(marked([], footerOf({ unaddressed: [broken, elsewhere, open] }), uri)).toEqual([mark]);
  });

  it('stay until a footer says something else of the item', () => {
    expect(marked([mark], footerOf({ verdicts: [verdict({ item: 'another', state: 'kept' })] }), uri)).toEqual([mark]);
    expect(marked([mark], footer, uri)).toEqual([mark]);
    expect(marked([mark], footerOf({ verdicts: [{ ...broken, state: 'kept' }] }), uri)).toEqual([]);
  });
});

it('a line is found again where it moved, the nearest first', () => {
  const lines = ['a', 'b', '', '\ta', 'b\r', 'a'];
  expect(refind(lines, 4, 'a')).toBe(4);
  expect(refind(lines, 5, 'a')).toBe(4);
  expect(refind(lines, 3, 'b')).toBe(2);
  expect(refind(lines, 90, 'a')).toBe(6);
  expect(refind(lines, 1, 'gone')).toBeUndefined();
});
