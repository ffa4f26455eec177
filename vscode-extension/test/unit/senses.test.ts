import { describe, expect, it } from 'vitest';
import { Excerpt } from '../../src/senses';

describe('Excerpt', () => {
  it('keeps short output whole, however it arrives', () => {
    const e = new Excerpt();
    for (const piece of ['ab', '', 'c']) e.add(piece);
    expect(e.toString()).toBe('abc');
  });

  it('keeps the beginning and the end of long output', () => {
    const e = new Excerpt();
    e.add('first line\n');
    for (let i = 0; i < 50_000; i++) e.add(`line ${i}\n`);
    const text = e.toString();
    expect(text.startsWith('first line\n')).toBe(true);
    expect(text.endsWith('line 49999\n')).toBe(true);
    expect(text).toContain('\n…\n');
    expect(text.length).toBeLessThan(140 * 1024);
  });
});
