import type { Card, Footer, Verdict } from '../../src/protocol.gen';

/** A card with what a test does not care about filled in. */
export function card(fields: Partial<Card> & Pick<Card, 'path'>): Card {
  return {
    title: fields.path,
    kind: 'lesson',
    tags: [],
    paths: [],
    project: '',
    severity: 'medium',
    source: 'curated',
    occurrences: 1,
    lastSeen: '',
    status: 'active',
    archivedAt: '',
    verified: false,
    items: [],
    ...fields,
  };
}

/** A verdict, likewise. */
export function verdict(fields: Partial<Verdict> & Pick<Verdict, 'item' | 'state'>): Verdict {
  return { path: 'lessons/a.md', title: 'A', line: 9, severity: 'medium', by: 'check', missing: [], ...fields };
}

/** A footer, likewise. */
export function footerOf(fields: Partial<Footer>): Footer {
  return { answerId: 'A', lessons: [], notes: [], unaddressed: [], verdicts: [], evidence: [], doubts: [], ...fields };
}
