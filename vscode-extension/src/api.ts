// What other extensions can build on. An extension with a chat of its own does with this all that
// the participant @handrail does: ask before a request, check the answer, tell what happened.

import type * as vscode from 'vscode';
import type { Candidate, Footer, Methods } from './protocol.gen';

export type * from './protocol.gen';

/** A request; its parameters and result are in protocol.gen.ts. */
export type Ask<M extends keyof Methods> = (
  params: Methods[M]['params'],
  token?: vscode.CancellationToken,
) => Promise<Methods[M]['result']>;

/** What the extension exports: `getExtension<HandrailExports>('handrail.handrail')`. */
export interface HandrailExports {
  /** Returns the API of that version; throws when this extension does not have it. */
  getApi(version: 1): HandrailApi;
}

/**
 * Version 1. Every method rejects with an Error whose message is for a person and whose `code` is for
 * programs (docs/protocol.md lists them); `no-brain` means that the workspace has no cards. None of
 * them may keep a request from being answered: catch, and go on without.
 */
export interface HandrailApi {
  readonly version: 1;
  /** Searches cards and notes, without a floor. */
  readonly retrieve: Ask<'handrail/retrieve'>;
  /** What must be known before a request is answered. `block` is empty when no card speaks to it. */
  readonly preflight: Ask<'handrail/preflight'>;
  /** Which checklist items an answer does not show. Every footer in every window is told. */
  readonly postcheck: Ask<'handrail/postcheck'>;
  /** Something happened that may be worth a card: a message, a rollback, a test run. */
  readonly report: Ask<'handrail/report'>;
  /** An answer was checked, by anyone. */
  readonly onFooter: vscode.Event<Footer>;
  /** Something may be worth a card, whoever saw it. */
  readonly onCandidate: vscode.Event<Candidate>;
}
