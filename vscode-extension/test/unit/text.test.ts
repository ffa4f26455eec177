import { describe, expect, it } from 'vitest';
import type { Footer, Hit, Verdict } from '../../src/protocol.gen';
import { escapeMarkdown, placeName, plain, quoted, statusLabel, statusText, summary, verbName } from '../../src/text';
import { card, footerOf } from './cards';

const hit = { path: 'lessons/a.md' } as Hit;
const missed = { path: 'lessons/a.md' } as Verdict;
const footer = (lessons: Hit[], unaddressed: Verdict[]): Footer => footerOf({ lessons, unaddressed });

describe('the status bar', () => {
  it.each([
    [undefined, '$(mortar-board)', 'No answer was checked yet'],
    [footer([], []), '$(mortar-board)', 'No lesson spoke to the last answer'],
    [footer([hit, hit], []), '$(mortar-board) 2', 'Lessons in the last answer: 2'],
    [footer([hit, hit], [missed]), '$(mortar-board) 2 ⚠1', 'Lessons in the last answer: 2 · not addressed: 1'],
  ])('shows what the last answer left out (%#)', (f, text, label) => {
    expect(statusText(f)).toBe(text);
    expect(statusLabel(f)).toBe(label);
  });
});

it('sums a card up by what is known of it', () => {
  expect(summary(card({ path: 'a', severity: 'high', occurrences: 3, lastSeen: '2026-10-28' }))).toBe('high · seen 3× · 2026-10-28');
  expect(summary(card({ path: 'a', status: 'archived' }))).toBe('put away · medium');
  expect(summary(card({ path: 'a', verified: true }))).toBe('verified · medium');
});

it('names what was done, also what it has no word for', () => {
  expect([verbName('unverify'), verbName('renumber')]).toEqual(['no longer verified', 'renumber']);
});

it('names a place by what is known of it', () => {
  expect([{ file: 'a.go', line: 3 }, { file: 'a.go' }, { command: 'rm' }, undefined].map(placeName)).toEqual(['a.go:3', 'a.go', 'rm', '']);
});

it('leaves no markup in the text of a card', () => {
  expect(escapeMarkdown('[x](command:rm) `a`\n# b <img>')).toBe('\\[x\\]\\(command:rm\\) \\`a\\` \\# b \\<img\\>');
});

it('leaves no link in the text of a notification', () => {
  expect(plain('Fix [log](command:rm) and [x] (y)')).toBe('Fix [log] (command:rm) and [x] (y)');
});

it('fences text that holds fences', () => {
  expect(quoted('a', 'go')).toBe('```go\na\n```');
  expect(['```go\n```', '`````'].map((text) => quoted(text, '').split('\n')[0])).toEqual(['````', '``````']);
});
