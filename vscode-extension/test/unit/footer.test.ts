import { expect, it } from 'vitest';
import { ThemeColor, ThemeIcon, TreeItem } from 'vscode';
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

it('lists broken items first, then open, said and kept ones, each with the place that shows it', () => {
  expect(outline(rows(footer, ({ title }) => new TreeItem(title)))).toEqual([
    ['B', [['broken No token is logged', ['bot/send.go:12']]]],
    [
      'A',
      ['open one', 'open two', 'open three', ['and 2 more', ['open four', 'open five']], 'said seven', ['kept six', ['bot/test.go:3']]],
    ],
    'Nothing ran that shows this: Lint is clean.',
    ['What the commands proved', ['tests passed: go test ./… · code edited after it']],
  ]);
});

it('names under an answer what is broken, at most three open items, and what the commands proved', () => {
  const plain = decodeURIComponent(footerMarkdown(footer)).replace(/\\/g, '');
  expect(plain.split('\n').filter(Boolean)).toEqual([
    '[A](command:handrail.lesson.open?["lessons/a.md"]) · [B](command:handrail.lesson.open?["lessons/b.md"]) · [Why?](command:handrail.lesson.why?[{"answerId":"A"}])',
    '- ⚠ Broken: [No token is logged](command:handrail.lesson.open?["lessons/b.md",9]) · [bot/send.go:12](command:handrail.place.open?["/work/bot/send.go",12])',
    '- ⚠ [one](command:handrail.lesson.open?["lessons/a.md",9])',
    '- ⚠ [two](command:handrail.lesson.open?["lessons/a.md",9])',
    '- ⚠ [three](command:handrail.lesson.open?["lessons/a.md",9])',
    '- and 2 more',
    '- Only the answer says so: [seven](command:handrail.lesson.open?["lessons/a.md",9])',
    '- ⚠ Nothing ran that shows this: Lint is clean.',
    '- tests passed: go test ./… · code edited after it',
  ]);
});

it('shows what only the answer says in another look than what a deed shows', () => {
  const [, a] = rows(footer, ({ title }) => new TreeItem(title));
  const looks = a?.below.slice(-2).map(({ item }) => [item.iconPath, item.contextValue, item.accessibilityInformation?.label]);
  expect(looks).toEqual([
    [new ThemeIcon('comment', new ThemeColor('disabledForeground')), 'verdict.said', 'Only the answer says so: seven'],
    [new ThemeIcon('pass', new ThemeColor('testing.iconPassed')), 'verdict.kept', 'Kept: six'],
  ]);
});

it('says nothing of an answer that no card was given for', () => {
  expect(footerMarkdown(footerOf({}))).toBe('');
});

it('lets no path of a card end its link', () => {
  const link = cardLink('A', "lessons/a) [x](command:evil) 'b'.md");
  expect(link).toMatch(/^\[A\]\(command:handrail\.lesson\.open\?[^()'\s]*\)$/);
  expect(decodeURIComponent(link.slice(link.indexOf('?') + 1, -1))).toBe(JSON.stringify(["lessons/a) [x](command:evil) 'b'.md"]));
});
