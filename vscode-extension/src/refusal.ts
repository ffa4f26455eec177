/** A refusal by the server: a sentence for a person, and a stable name for programs. */
export class Refusal extends Error {
  constructor(
    message: string,
    readonly code: string,
  ) {
    super(message);
  }
}
