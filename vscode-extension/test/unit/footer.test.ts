import { expect, it } from 'vitest';
import { TreeItem, type ThemeIcon } from 'vscode';
import { cardLink, footerMarkdown, rows, type FooterNode } from '../../src/footer';
import type { Hit } from '../../src/protocol.gen';
import { footerOf, verdict } from './cards';

const place = { file: 'bot/send.go', path: '/work/bot/send.go', line: 12, text: 'log.Print(token)' };
const broken = verdict({ path: 'lessons/b.md', item: 'No token is logged', state: 'broken', place });
const open = ['one', 'two', 'three', 'four', 'five'].map((item) => verdict({ item, state: 'open' }));
const kept = verdict({ item: 'six', state: 'kept', place: { file: 'bot/test.go', path: '/work/bot/test.go', line: 3 } });
const said = verdict({ item: 'seven', state: 'said', by: 'answer', place: { sentence: 'Seven is done.' } });
const footer = footerOf({
  lessons: [{ path: 'lessons/a.md', title: 'A' } as Hit, { path: 'lessons/b.md', title: 'B' } as Hit],
  moments: { 'lessons/a.md': 'prompt', 'lessons/b.md': 'start' },
  unaddressed: [broken, ...open],
  verdicts: [...open, kept, said, broken],
  evidence: [
    { kind: 'tests', command: 'go test ./…', failed: false, stale: true, said: 'tests passed: go test ./… · code edited after it' },
  ],
  doubts: [{ kind: 'lint', text: 'Lint is clean.', why: 'never-run', said: 'Nothing ran that shows this: Lint is clean.' }],
});

const outline = (nodes: FooterNode[]): unknown =>
  nodes.map((n) => {
    const name = n.verdict ? `${n.verdict.state} ${n.verdict.item}` : n.item.label;
    return n.below.length > 0 ? [name, outline(n.below)] : name;
  });

it('lists broken items first, then open, said and kept ones, and says when each card was shown', () => {
  const all = rows(footer, ({ title }) => new TreeItem(title));
  expect(outline(all)).toEqual([
    ['B', ['broken No token is logged']],
    ['A', ['open one', 'open two', 'open three', ['and 2 more', ['open four', 'open five']], 'said seven', 'kept six']],
    'Nothing ran that shows this: Lint is clean.',
    ['What the commands proved', ['tests passed: go test ./… · code edited after it']],
  ]);
  expect(all.slice(0, 2).map(({ item }) => item.description)).toEqual(['its title, at the start', 'with the request']);
});

it('leads in a click from an item to the line that shows it, else to the card', () => {
  const [b, a] = rows(footer, ({ title }) => new TreeItem(title));
  const clicks = [b?.below[0], a?.below[0]].map((row) => [row?.item.command?.command, row?.item.command?.arguments]);
  expect(clicks).toEqual([
    ['handrail.place.open', ['/work/bot/send.go', 12]],
    ['handrail.lesson.open', ['lessons/a.md', 9]],
  ]);
});

it('names under an answer what is broken, at most three open items, and what the commands proved', () => {
  const plain = decodeURIComponent(footerMarkdown(footer)).replace(/\\/g, '');
  const notHere = (path: string, item: string) =>
    `[Not here](command:handrail.verdict.notHere?[{"path":"lessons/${path}.md","answerId":"A","verdict":{"item":"${item}"}}])`;
  expect(plain.split('\n').filter(Boolean)).toEqual([
    '[A](command:handrail.lesson.open?["lessons/a.md"]) (with the request) · [B](command:handrail.lesson.open?["lessons/b.md"]) (its title, at the start) · [Why?](command:handrail.lesson.why?[{"answerId":"A"}])',
    `- $(error) Broken: [No token is logged](command:handrail.lesson.open?["lessons/b.md",9]) · [bot/send.go:12](command:handrail.place.open?["/work/bot/send.go",12]) · ${notHere('b', 'No token is logged')}`,
    ...['one', 'two', 'three'].map(
      (item) => `- $(warning) Open: [${item}](command:handrail.lesson.open?["lessons/a.md",9]) · ${notHere('a', item)}`,
    ),
    '- and 2 more',
    '- $(comment) Only said: [seven](command:handrail.lesson.open?["lessons/a.md",9])',
    '- $(pass) Kept: 1',
    '- ⚠ Nothing ran that shows this: Lint is clean.',
    '- tests passed: go test ./… · code edited after it',
  ]);
});

it('shows each state by a shape and a word of its own, and shows no marks of bold', () => {
  const states = ['broken', 'open', 'said', 'kept', 'not-here'];
  const verdicts = states.map((state) => verdict({ item: 'Never **ever** log src/**/*.go', state }));
  const [a] = rows(footerOf({ lessons: [{ path: 'lessons/a.md', title: 'A' } as Hit], verdicts }), ({ title }) => new TreeItem(title));
  const looks = a?.below.map(({ item }) => [(item.iconPath as ThemeIcon).id, item.label, item.accessibilityInformation?.label]);
  const words = ['Broken', 'Open', 'Only said', 'Kept', 'Not here'].map((word) => `${word}: Never ever log src/**/*.go`);
  expect(looks).toEqual(['error', 'warning', 'comment', 'pass', 'circle-slash'].map((icon, i) => [icon, words[i], words[i]]));
});

it('says nothing of an answer that no card was given for', () => {
  expect(footerMarkdown(footerOf({}))).toBe('');
});

it('lets no path of a card end its link', () => {
  const link = cardLink('A', "lessons/a) [x](command:evil) 'b'.md");
  expect(link).toMatch(/^\[A\]\(command:handrail\.lesson\.open\?[^()'\s]*\)$/);
  expect(decodeURIComponent(link.slice(link.indexOf('?') + 1, -1))).toBe(JSON.stringify(["lessons/a) [x](command:evil) 'b'.md"]));
});
