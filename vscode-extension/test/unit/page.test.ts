import { describe, expect, it } from 'vitest';
import { escapeHtml, page } from '../../src/page';
import type { CardStats, Stats, WeekStats } from '../../src/protocol.gen';
import { card } from './cards';

const weeks = (...served: number[]): WeekStats[] =>
  served.map((n, i) => ({ from: `2026-09-0${i + 1}`, served: n, addressed: 0, unaddressed: 0, recurred: 0 }));
const row = (fields: Partial<CardStats>): CardStats => ({
  path: 'lessons/a.md',
  title: 'A',
  status: 'active',
  served: 1,
  addressed: 0,
  unaddressed: 0,
  recurred: 0,
  succeeded: 0,
  failed: 0,
  lastUsed: '2026-11-20',
  utility: 1,
  weeks: weeks(0, 1),
  ...fields,
});
const stats = (fields: Partial<Stats>): Stats => ({ cards: [], never: [], weeks: weeks(0, 0), active: 0, ...fields });
const show = (fields: Partial<Stats>) => page(stats(fields), 'en', 'vscode://x/stats.css', 'vscode:');

/** The texts of all elements of a name, without markup. */
const texts = (html: string, element: string) =>
  [...html.matchAll(new RegExp(`<${element}[ >][^]*?</${element}>`, 'g'))].map((m) => m[0].replace(/<[^>]*>/g, '').trim());

describe('the page of what lessons did', () => {
  it('has a row for each card that was served', () => {
    const cards = [
      row({ served: 9, addressed: 4, unaddressed: 3, recurred: 2 }),
      row({ path: 'b', title: 'B', status: 'archived', weeks: weeks(5, 0) }),
    ];
    const html = show({ cards, active: 7 });
    expect(texts(html, 'tr')).toEqual([
      'LessonServedAddressedNot addressedCame backLast usedBy week',
      'A94322026-11-20Served by week since 2026-09-01: 0, 1',
      'B archived10002026-11-20Served by week since 2026-09-01: 5, 0',
    ]);
    expect(texts(html, 'dd')).toEqual(['7', '10', '4', '3', '2']);
    expect(texts(html, 'caption')).toEqual(['Lessons that were served']);
    expect(html.match(/<th scope="row">/g)).toHaveLength(2);
    expect(html).toContain('href="command:handrail.lesson.open?%5B%22lessons%2Fa.md%22%5D"');
  });

  it('says of a playbook how the turns that used it ended', () => {
    const html = show({ cards: [row({ succeeded: 4, failed: 1 }), row({ title: 'B' })] });
    expect(texts(html, 'small')).toEqual(['ended well 4×, badly 1×']);
  });

  it('says first which mistakes came back', () => {
    const html = show({ cards: [row({ served: 9, recurred: 2 }), row({ title: 'B', served: 12, recurred: 3 }), row({ title: 'C' })] });
    expect(texts(html, 'li')).toEqual([
      'AThis card was served 9 times and the mistake came back twice.',
      'BThis card was served 12 times and the mistake came back 3 times.',
    ]);
    expect(html.indexOf('Mistakes that came back')).toBeLessThan(html.indexOf('<table>'));
  });

  it('names the cards that nothing matched, and no table before there is something for it', () => {
    const html = show({ never: [card({ path: 'x', title: 'X' })], active: 3 });
    expect(html).toContain('<h2>No request has matched these yet (1 of 3 active cards)</h2>');
    expect(texts(html, 'li')).toEqual(['X']);
    expect(texts(html, 'p')).toEqual(['No card was served yet.']);
    expect(html).not.toContain('<table>');
  });

  it('folds what is beyond twenty rows, and names each figure for narrow windows', () => {
    const many = (n: number) => Array.from({ length: n }, (_, i) => row({ path: `c${i}`, title: `C${i}`, recurred: 1 }));
    const never = Array.from({ length: 530 }, (_, i) => card({ path: `n${i}` }));
    const html = show({ cards: many(21), never, active: 551 });
    expect(texts(html, 'summary')).toEqual(['and 1 more', 'and 1 more', 'and 510 more']);
    const open = html.replace(/<details>[^]*?<\/details>/g, '');
    expect(open.match(/<th scope="row">/g)).toHaveLength(20);
    expect(texts(open, 'li')).toHaveLength(40);
    expect([...html.matchAll(/<td data-name="([^"]*)"/g)].slice(0, 6).map((m) => m[1])).toEqual([
      'Served',
      'Addressed',
      'Not addressed',
      'Came back',
      'Last used',
      'By week',
    ]);
    expect(show({ cards: many(20) })).not.toContain('<details>');
  });

  it('draws the most served week as high as the chart', () => {
    const html = show({ cards: [row({ weeks: weeks(0, 2, 4) })] });
    const table = html.slice(html.indexOf('<table>'));
    expect([...table.matchAll(/<rect class="(\w+)"[^>]* height="(\d+)"/g)].map((m) => [m[1], m[2]])).toEqual([
      ['none', '1'],
      ['bar', '10'],
      ['bar', '20'],
    ]);
  });

  it('lets no card be more than text', () => {
    const hostile = `</th><script>alert(1)</script><a href="command:rm">x</a>"' onload='x' &lt;`;
    const cards = [row({ title: hostile, path: `lessons/"><img src=x onerror=alert(1)>'.md`, recurred: 1 })];
    const html = show({ cards, never: [card({ path: hostile, title: hostile })] });
    const tags = new Set([...html.slice(html.indexOf('</style>')).matchAll(/<([a-z]+\d?)/g)].map((m) => m[1]));
    for (const tag of ['script', 'img']) expect(tags, tag).not.toContain(tag);
    const links = [...html.matchAll(/<a ([^>]*)>/g)].map((m) => m[1]);
    expect(links).toHaveLength(3);
    for (const link of links) expect(link).toMatch(/^href="command:handrail\.lesson\.open\?[\w%&#;.()!*~-]+"$/);
    expect(html.split(escapeHtml(hostile))).toHaveLength(4);
    expect(html).not.toContain(hostile);
  });

  it('takes a title made of nothing by its path', () => {
    expect(texts(show({ never: [card({ path: 'lessons/a.md', title: '' })] }), 'li')).toEqual(['lessons/a.md']);
  });

  it('may load its own style sheet and nothing else, and speaks the language of the window', () => {
    const html = page(stats({}), 'ko-KR', 'vscode://x/stats.css', 'vscode:');
    expect(html).toContain(`content="default-src 'none'; style-src vscode:"`);
    expect(html).toContain('<html lang="ko">');
    expect(html).not.toMatch(/<script| style="| on\w+="/);
    const colours = html.replace(/var\(--vscode-[^;]+\)/g, '').match(/(?:color|fill|outline|border[\w-]*): [^;]*/g) ?? [];
    expect(colours.filter((c) => /#|rgb|\b(?:white|black|gray)\b/.test(c))).toEqual([]);
  });
});
