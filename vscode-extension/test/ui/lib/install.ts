import { install } from '../setup.mjs';

/** Runs once before the tests: nothing to do when the installation is there. */
export default function setup(): void {
  install();
}
