import { bench } from 'vitest';
import { LessonsView } from '../../src/lessons';
import { card } from './cards';

const kinds = ['lesson', 'playbook', 'policy'] as const;
const severities = ['low', 'medium', 'high'] as const;
const cards = Array.from({ length: 600 }, (_, i) =>
  card({
    path: `lessons/card-${i}.md`,
    title: `What goes wrong in place ${(i * 37) % 600}`,
    kind: kinds[i % 3] ?? 'lesson',
    severity: severities[(i >> 2) % 3] ?? 'low',
    project: `project-${i % 12}`,
    lastSeen: `2026-0${1 + (i % 9)}-01`,
    tags: ['a', 'b'],
  }),
);
const never = () => ({ dispose: () => undefined });
const model = {
  cards,
  client: { trusted: true, place: '', uri: (path: string) => path },
  onDidChange: never,
  projectOf: () => 'project-7',
  card: never,
};

bench('600 cards in 12 projects', () => {
  const view = new LessonsView(model as never, {} as never);
  const walk = (node?: Parameters<LessonsView['getTreeItem']>[0]) => {
    if (node) view.getTreeItem(node);
    view.getChildren(node).forEach(walk);
  };
  walk();
});
