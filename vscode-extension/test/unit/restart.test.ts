import { expect, it } from 'vitest';
import { Restarts } from '../../src/restart';

it('waits longer each time and asks a person at the third crash', () => {
  const r = new Restarts();
  expect([r.next(0), r.next(1000), r.next(2000)]).toEqual([250, 1000, undefined]);
});

it('forgets crashes of long ago', () => {
  const r = new Restarts();
  r.next(0);
  r.next(1);
  expect(r.next(200_000)).toBe(250);
});

it('starts anew after a person said so', () => {
  const r = new Restarts();
  r.next(0);
  r.next(1);
  r.next(2);
  r.forget();
  expect(r.next(3)).toBe(250);
});
