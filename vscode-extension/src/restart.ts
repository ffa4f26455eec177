// How often a crashed server is started again.

/** Crashes within this time, in milliseconds, count together. */
const WINDOW = 3 * 60_000;
/** The crash at which a person is asked. */
const LIMIT = 3;
/** Milliseconds before the first restart; each further one waits four times as long. */
const FIRST = 250;

/** Counts crashes and says how long to wait before the next start. */
export class Restarts {
  private crashes: number[] = [];

  /** Takes note of a crash; returns milliseconds to wait, or undefined when a person should decide. */
  next(now: number): number | undefined {
    this.crashes = [...this.crashes.filter((at) => now - at < WINDOW), now];
    return this.crashes.length < LIMIT ? FIRST * 4 ** (this.crashes.length - 1) : undefined;
  }

  /** A person started the server again: old crashes are forgotten. */
  forget(): void {
    this.crashes = [];
  }
}
