import { describe, expect, it } from 'vitest';
import { badReason } from '../../src/actions';
import { cardItem, decoration, tree, type LessonNode } from '../../src/lessons';
import { foundItems, groups } from '../../src/picker';
import type { ThemeIcon, Uri } from 'vscode';
import type { Card, Hit } from '../../src/protocol.gen';
import { reasonRows } from '../../src/why';
import { card } from './cards';

const outline = (nodes: LessonNode[]): unknown => nodes.map((n) => ('children' in n ? [n.label, outline(n.children)] : n.path));

describe('the tree of lessons', () => {
  it('leaves the level of projects out when there is one', () => {
    expect(outline(tree([card({ path: 'b', kind: 'playbook' }), card({ path: 'a' })]))).toEqual([
      ['Lessons', ['a']],
      ['Playbooks', ['b']],
    ]);
  });

  it('groups by project, then kind; those in use and seen last come first', () => {
    const cards = [
      card({ path: 'old', project: 'shop', lastSeen: '2026-01-01' }),
      card({ path: 'gone', project: 'shop', status: 'archived', lastSeen: '2026-09-01' }),
      card({ path: 'new', project: 'shop', lastSeen: '2026-02-01' }),
      card({ path: 'any' }),
    ];
    expect(outline(tree(cards))).toEqual([
      ['All projects', [['Lessons', ['any']]]],
      ['shop', [['Lessons', ['new', 'old', 'gone']]]],
    ]);
  });

  const many = [
    card({ path: 'any' }),
    card({ path: 'b', project: 'bank', title: 'B', served: 1, lastSeen: '2026-02-01' }),
    card({ path: 'c', project: 'shop', title: 'C', served: 9, lastSeen: '2026-01-01' }),
    card({ path: 'a', project: 'shop', title: 'A', served: 2, lastSeen: '2026-03-01' }),
    card({ path: 'd', project: 'shop', title: 'D', served: 5, lastSeen: '2026-02-01' }),
  ];

  it('puts this project first, open, and folds the others', () => {
    const top = (here?: string) => tree(many, { project: here }).map((n) => 'children' in n && [n.label, n.open, n.cards.length]);
    expect(top('shop')).toEqual([
      ['shop', true, 3],
      ['All projects', false, 1],
      ['bank', false, 1],
    ]);
    expect(top()).toEqual([
      ['All projects', true, 1],
      ['bank', false, 1],
      ['shop', false, 3],
    ]);
  });

  it('puts first what the file in front has, what always holds, and what came back lately', () => {
    const cards = [
      card({ path: 'old', lastSeen: '2026-01-01', occurrences: 4 }),
      card({ path: 'back', lastSeen: '2026-02-20', occurrences: 2 }),
      card({ path: 'rule', kind: 'policy' }),
      card({ path: 'put away', kind: 'policy', status: 'archived' }),
      card({ path: 'here', kind: 'policy', lastSeen: '2026-02-20', occurrences: 2 }),
    ];
    expect(outline(tree(cards, { file: new Set(['here']), now: Date.parse('2026-03-01') }))).toEqual([
      ['This file', ['here']],
      ['In every conversation', ['rule']],
      ['Came back lately', ['back']],
      ['Lessons', ['old']],
      ['Policies', ['put away']],
    ]);
  });

  it('begins with what cannot be read', () => {
    const shop = [...many.slice(2), card({ path: 'z', project: 'shop', broken: true })];
    expect(outline(tree(shop))).toEqual([['Lessons', ['z', 'a', 'd', 'c']]]);
  });

  it('leaves a card that is put away where it is while the window is open', () => {
    const ranks = new Map<string, number>();
    const shop = many.slice(2);
    const order = (cards: Card[]) => outline(tree(cards, { project: 'shop', ranks }));
    expect(order(shop)).toEqual([['Lessons', ['a', 'd', 'c']]]);
    expect(order(shop.map((c) => ({ ...c, status: c.path === 'a' ? 'archived' : c.status })))).toEqual([['Lessons', ['a', 'd', 'c']]]);
  });

  it('shows severity, verified, stale, conflict and what cannot be read', () => {
    const look = (fields: Partial<Card>) => {
      const item = cardItem(card({ path: 'p', ...fields }), {} as Uri);
      const icon = item.iconPath as ThemeIcon;
      const mark = decoration(item.resourceUri as Uri);
      return [icon.id, icon.color?.id, mark?.badge, mark?.color?.id, item.description, item.contextValue];
    };
    expect(look({})).toEqual(['mortar-board', undefined, undefined, undefined, '', 'card.active']);
    expect(look({ severity: 'high', verified: true })).toEqual([
      'warning',
      'list.warningForeground',
      '✓',
      undefined,
      '',
      'card.active.verified',
    ]);
    expect(look({ severity: 'low', stale: true })).toEqual([
      'circle-outline',
      'descriptionForeground',
      'Z',
      'descriptionForeground',
      '',
      'card.active',
    ]);
    expect(look({ status: 'conflicted', broken: true })).toEqual([
      'git-merge',
      'list.warningForeground',
      '!',
      'list.warningForeground',
      'in conflict',
      'card.conflicted',
    ]);
    expect(look({ broken: true, severity: 'high' })).toEqual([
      'error',
      'list.errorForeground',
      '!',
      'list.errorForeground',
      'cannot be read',
      'card.broken',
    ]);
    expect(look({ status: 'archived' }).slice(0, 4)).toEqual(['archive', undefined, undefined, 'descriptionForeground']);
    expect(decoration({ scheme: 'file', query: 'stale' } as Uri)).toBeUndefined();
  });
});

describe('the groups of the picker', () => {
  const cards = [
    card({ path: 'any' }),
    card({ path: 'served' }),
    card({ path: 'shop', project: 'shop' }),
    card({ path: 'bank', project: 'bank' }),
    card({ path: 'away', status: 'archived', project: 'bank' }),
    card({ path: 'draft', status: 'draft' }),
    card({ path: 'wrong', status: 'quarantined', quarantine: 'why' }),
  ];

  it('puts every card into the first that it fits', () => {
    expect(groups(cards, ['served'], 'shop').map((g) => [g.label, g.cards.map((c) => c.path)])).toEqual([
      ['In the last answer', ['served']],
      ['Drafts', ['draft']],
      ['This project', ['any', 'shop']],
      ['Other projects', ['bank']],
      ['Put away as wrong', ['wrong']],
      ['Put away', ['away']],
    ]);
  });

  it('shows no empty group', () => {
    expect(groups([card({ path: 'a' })], [], undefined).map((g) => g.label)).toEqual(['This project']);
  });
});

describe('what a search of the picker found', () => {
  const hit = (path: string, kind: Hit['kind']): Hit => ({
    path,
    title: path,
    kind,
    score: 1,
    excerpt: '## Fix\n\n- [ ] The lock is taken first.\nIt is released last.',
    why: { terms: [], relevance: 1, boosts: {} },
  });
  const found = { lessons: [hit('a', 'lesson'), hit('left-out', 'lesson')], notes: [hit('n', '')], tokens: 0 };

  it('shows the passage of listed cards and of notes', () => {
    expect(foundItems(found, [card({ path: 'a' })]).map((f) => [f.path, f.card?.path, f.detail])).toEqual([
      ['a', 'a', 'The lock is taken first. It is released last.'],
      ['n', undefined, 'The lock is taken first. It is released last.'],
    ]);
  });
});

describe('the reasons of a request', () => {
  it('stand in two groups, and any other card can be asked about', () => {
    const reason = (path: string, comes: boolean) => ({
      path,
      title: path,
      status: 'active' as const,
      comes,
      code: 'x',
      text: `of ${path}`,
    });
    const rows = reasonRows({ cards: [reason('a', true), reason('b', false)] });
    expect(rows.map((r) => [r.label, r.detail])).toEqual([
      ['Comes before the request', undefined],
      ['a', 'of a'],
      ['Stays out', undefined],
      ['b', 'of b'],
      ['$(search) Another card…', undefined],
    ]);
    expect(reasonRows({ cards: [] })).toHaveLength(1);
  });
});

describe('the reason for which a card is wrong', () => {
  it('has 1 to 300 characters', () => {
    expect(['', ' ', 'x', '가'.repeat(300), ` ${'😀'.repeat(300)} `, 'x'.repeat(302)].map((text) => badReason(text))).toEqual([
      'It needs a reason',
      'It needs a reason',
      undefined,
      undefined,
      undefined,
      'Too long by 2 characters',
    ]);
  });
});
