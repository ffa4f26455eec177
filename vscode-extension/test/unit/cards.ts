import type { Card } from '../../src/protocol.gen';

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
