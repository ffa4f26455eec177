// Code generated from server/lsp by "go test ./server/lsp -update". DO NOT EDIT.

/** What the editor can ask. */
export interface Methods {
  'handrail/retrieve': { params: RetrieveRequest; result: Retrieved };
  'handrail/preflight': { params: PreflightRequest; result: Preflight };
  'handrail/why': { params: WhyRequest; result: Explanation };
  'handrail/never': { params: NeverRequest; result: Never };
  'handrail/postcheck': { params: AnswerRequest; result: Footer };
  'handrail/answers': { params: Record<string, never>; result: Footer[] };
  'handrail/judge': { params: JudgeRequest; result: Footer };
  'handrail/report': { params: Event; result: Observed };
  'handrail/lessons': { params: CardFilter; result: Card[] };
  'handrail/create': { params: CreateRequest; result: Created };
  'handrail/fill': { params: FillParams; result: Record<string, never> };
  'handrail/template': { params: CreateRequest; result: Template };
  'handrail/bump': { params: CardParams; result: Card };
  'handrail/restore': { params: CardParams; result: Card };
  'handrail/archive': { params: CardParams; result: Card };
  'handrail/delete': { params: CardParams; result: Card };
  'handrail/undo': { params: UndoRequest; result: Undone };
  'handrail/promote': { params: CardParams; result: Card };
  'handrail/verify': { params: CardParams; result: Card };
  'handrail/quarantine': { params: QuarantineRequest; result: Card };
  'handrail/merge': { params: MergeRequest; result: Card };
  'handrail/tidy': { params: TidyRequest; result: Tidied };
  'handrail/ignoreHere': { params: IgnoreRequest; result: Ignored[] };
  'handrail/stats': { params: Record<string, never>; result: Stats };
  'handrail/log': { params: LogRequest; result: LogRow[] };
  'handrail/candidates': { params: Record<string, never>; result: Candidate[] };
  'handrail/inbox': { params: Record<string, never>; result: Inbox };
  'handrail/review': { params: ReviewRequest; result: Reviewed };
  'handrail/brain': { params: Record<string, never>; result: BrainResult };
  'handrail/trust': { params: TrustParams; result: Trust };
  'handrail/pause': { params: PauseRequest; result: Paused };
  'handrail/createBrain': { params: Record<string, never>; result: BrainResult };
}

/** What the server says on its own. */
export interface Notifications {
  'handrail/candidate': Candidate;
  'handrail/changed': Changed;
  'handrail/footer': Footer;
}


/** EventKind names what happened. */
export type EventKind = 'message' | 'rollback' | 'rejected' | 'test' | 'command' | 'edit' | 'call' | 'answer' | 'session' | 'tools' | 'tool';

/** Ground says why a brain is trusted, or that it is not. */
export type Ground = '' | 'made' | 'own' | 'agreed' | 'revoked';

/** Kind is the kind of a file in the brain. The empty kind is an ordinary note. */
export type Kind = '' | 'lesson' | 'playbook' | 'qa-finding' | 'policy' | 'preference' | 'architecture' | 'decision' | 'fact';

/** Locale is the language people are spoken to in: English or Korean. */
export type Locale = 'en' | 'ko';

/** ProblemCode names a kind of Problem. */
export type ProblemCode = 'duplicate-title' | 'quarantined-title' | 'draft' | 'idle-guard' | 'no-such-path' | 'injection-suspect' | 'secret-in-card' | 'frontmatter-syntax' | 'frontmatter-open' | 'bad-value' | 'unknown-key' | 'misspelled-key' | 'not-utf8' | 'too-large' | 'missing-root-cause' | 'missing-checklist' | 'chat-title' | 'missing-title' | 'topic-title' | 'holds-secret' | 'invisible-text' | 'conflict-markers' | 'check-twice' | 'check-stray' | 'check-syntax' | 'check-kind' | 'check-key' | 'check-needs' | 'check-value' | 'check-misses' | 'check-hits';

/** Reason is why something is suggested. */
export type Reason = 'one-off' | 'stale' | 'same-title' | 'same-words' | 'code-gone';

/** Severity is how much a repeated mistake would hurt. */
export type Severity = 'low' | 'medium' | 'high';

/** Source is who wrote a card. */
export type Source = 'curated' | 'auto';

/** Status is the state of a card. Only Active cards are injected. */
export type Status = 'active' | 'archived' | 'draft' | 'quarantined' | 'conflicted';

/** TrustDeed is what a person decides. */
export type TrustDeed = 'agree' | 'approve' | 'revoke';

/** WaitReason says why a file needs more than the trust in its brain. */
export type WaitReason = 'always' | 'guard' | 'changed' | 'new';

/** Accepted is a candidate that is a draft now. */
export interface Accepted {
  candidateId: string;
  path: string;
}

/**
 * AnswerRequest is an answer to be checked against the cards that were served for it:
 * those of AnswerID, of the session's last request, or the named ones.
 */
export interface AnswerRequest {
  answerId?: string;
  /** card paths; they go before AnswerID and SessionID */
  lessons?: string[];
  answer: string;
}

/** BrainResult says where the brain is. */
export interface BrainResult {
  /** file URI of the folder */
  uri: string;
  /** its cards come to agents; in a trusted workspace the editor's get them all the same */
  trusted: boolean;
  /** Paused is until when no card comes without being asked for; absent where they do. */
  paused?: string;
  /** Folders are the workspace's folders that belong to a brain, in their order, where there are several brains. */
  folders?: FolderBrain[];
}

/** Candidate is a lesson that may be worth recording: half a card, and a question to a person. Nothing is written. */
export interface Candidate {
  id: string;
  /** complaint, record, correction, rollback, mended, rejected, red-green, preference, constraint */
  trigger: string;
  title: string;
  /** Title says what it is about, and neither a mistake nor a rule */
  untitled?: boolean;
  /** markdown: the request in question, the files */
  situation: string;
  /** markdown: what was said of it */
  mistake?: string;
  /** markdown: the lines that mended it */
  fix?: string;
  /** markdown, the card's Evidence: what failed, the lines that were taken back */
  proof?: string;
  evidence: string[];
  /** the command that failed */
  command?: string;
  /** the test that failed */
  test?: string;
  /** of the conversation, where it is not English: ko */
  language?: string;
  /**
   * Kind is that of the card it makes, where it is no lesson; Rules are standing rules that
   * the person laid down, the card's first items.
   */
  kind?: Kind;
  rules?: string[];
  /** path of the card it would repeat */
  similar?: string;
  /** Quarantined is why Similar is in quarantine: it takes nothing up. */
  quarantined?: string;
  /** when it was last seen; it waits for 30 days from then */
  at: string;
  /** the conversation it comes from */
  sessionId?: string;
  /** those it is about that were there, as cards name them */
  files?: string[];
  /** how often it was seen, when more than once */
  times?: number;
  /** the last of these times, oldest first */
  seen?: Sighting[];
  /** it may be one, if it was seen in another conversation */
  weak?: boolean;
  /** a weak one that is more likely one than not */
  likely?: boolean;
}

/** Card is a card as lists show it. */
export interface Card {
  path: string;
  title: string;
  kind: Kind;
  tags: string[];
  paths: string[];
  project: string;
  severity: Severity;
  source: Source;
  occurrences: number;
  /** YYYY-MM-DD or "" */
  lastSeen: string;
  status: Status;
  /** YYYY-MM-DD or "" */
  archivedAt: string;
  verified: boolean;
  /** why it is quarantined */
  quarantine?: string;
  /** it is others', and speaks once its text is approved */
  waits?: WaitReason;
  /** its file cannot be read as it was meant; the problems of the file say why */
  broken?: boolean;
  /** turns that were given it; in lists alone */
  served?: number;
  /** Tidy would suggest to archive it for its age; in lists alone */
  stale?: boolean;
  items: CardItem[];
}

/** CardFilter selects cards. Zero fields select everything. */
export interface CardFilter {
  kind?: Kind;
  status?: Status;
  source?: Source;
  project?: string;
  /**
   * File is an absolute path or file URI that the card's paths must hold, or in which one of the last answers broke an item of
   * it; a card for another project than the file's is left out.
   */
  file?: string;
  /** 0 means all */
  limit?: number;
}

/** CardItem is one checklist item of a Card. */
export interface CardItem {
  text: string;
  /** 1-based */
  line: number;
}

/** CardParams names one card, and what some methods take beside it. */
export interface CardParams {
  /** slash path relative to the brain, or a file URI */
  path: string;
  /** bump: the candidate that this settles */
  candidateId?: string;
  /** promote: of a draft that has none yet */
  title?: string;
  /** verify: takes it back */
  off?: boolean;
}

/** CardStats is what came of one card. */
export interface CardStats {
  path: string;
  title: string;
  status: Status;
  /** turns that were given the card */
  served: number;
  /** of them, the answer showed every item */
  addressed: number;
  /** of them, it did not */
  unaddressed: number;
  /** conversations in which the mistake came back all the same */
  recurred: number;
  /** YYYY-MM-DD or "" */
  lastUsed: string;
}

/** Change is what happened to the lines of one file. */
export interface Change {
  file: string;
  removed?: string[];
  added?: string[];
  /** of Added, in the file after the change: one for each, or none where they are not known */
  lines?: number[];
}

/** Changed tells a connection what to refresh. */
export interface Changed {
  cards: boolean;
  candidates: boolean;
}

/** CreateFields are the parts of a new card a caller may already know. All are optional. */
export interface CreateFields {
  kind?: Kind;
  tags?: string[];
  paths?: string[];
  project?: string;
  severity?: Severity;
  /** draft saves an unfinished candidate, never injected */
  status?: Status;
  mistake?: string;
  rootCause?: string;
  fix?: string;
  checklist?: string[];
  appliesTo?: string;
  /** markdown that shows the mistake; no agent is told it */
  evidence?: string;
  /** write even though a card with the same key exists */
  allowTwins?: boolean;
  /** write even though the candidate's files are gone */
  allowGone?: boolean;
}

/** CreateRequest is a person's word that a lesson be recorded or, where Auto says so, an agent's wish that one be. */
export interface CreateRequest {
  title?: string;
  /** nobody has confirmed it: a draft without secrets, of source auto, above the quality bar */
  auto?: boolean;
  /** the candidate this confirms, or the beginning of its id; its quality bar then holds */
  candidateId?: string;
  /** of Auto: the agent's conversation */
  sessionId?: string;
  /** of Auto: the person clicked for it */
  asked?: boolean;
  situation?: string;
  fields?: CreateFields;
}

/** Created says where a card was written, or which card already says the same, in which case nothing was written. */
export interface Created {
  path: string;
  duplicateOf?: string;
  /** why that card is in quarantine: it takes nothing up */
  quarantined?: string;
  /**
   * EveryRequest says that the card comes with every request once it is active: by its kind and severity, which was
   * proposed where nobody named one and the card no topic.
   */
  everyRequest?: boolean;
  /** Draft says that the card comes before no request yet: as asked, or for what it lacks. */
  draft?: boolean;
  /** what it lacks to be active */
  lacks?: ProblemCode[];
  /** Nowhere are its paths that no file can match yet. */
  nowhere?: string[];
}

/** Doubt is a claim of an answer that nothing in the conversation supports. */
export interface Doubt {
  /** as Evidence has it */
  kind: string;
  /** the sentence */
  text: string;
  /** never-run, failed */
  why: string;
  command?: string;
  /** why it is doubted, in a person's words, where an editor shows it */
  said?: string;
}

/** Draft is an unfinished card. */
export interface Draft {
  path: string;
  /** what it is listed by, where Weak has missing-title */
  title: string;
  /** from what it says of the mistake, else of the situation */
  evidence: string[];
  /** codes of what it lacks to become active */
  weak: string[];
}

/** ErrorData is the data of an error answer. */
export interface ErrorData {
  /** stable name, such as no-brain, bad-path or weak */
  code: string;
  /** weak: what is missing */
  problems?: ProblemData[];
}

/** Event is something that an editor, a hook or a watcher saw. */
export interface Event {
  kind: EventKind;
  /** RFC 3339; of an editor's now when absent */
  at?: string;
  sessionId?: string;
  /** Message: what the person wrote; Answer: how it begins; Rollback, Rejected: what git or the person says of it */
  text?: string;
  /** it is about: absolute paths where a surface reports them, the names that cards give them for a Detector */
  files?: string[];
  /** Edit, Rollback: what happened to the lines, as far as it is known */
  changes?: Change[];
  /** Command, TestRun, Call: as typed */
  command?: string;
  /** Command, TestRun: working directory; Message: the conversation's, whose repository is followed */
  cwd?: string;
  /** Command, TestRun: nil when unknown */
  exitCode?: number;
  /** Command, TestRun: what it printed */
  output?: string;
  /**
   * Of a Command, TestRun, Edit or Tool in a conversation:
   * its name
   */
  tool?: string;
  /** it did; a command's ExitCode says so too */
  failed?: boolean;
  /** somebody ended it: it says nothing about the tool */
  interrupted?: boolean;
}

/** Evidence is what a command of the turn proved. */
export interface Evidence {
  /** tests, build, lint, run, commit, push */
  kind: string;
  command: string;
  /** nil when unknown */
  failed?: boolean;
  /** code was edited after it */
  stale?: boolean;
  /** all of it in a person's words, where an editor shows it */
  said?: string;
}

/** Explained is why one card comes before a request, or does not. */
export interface Explained {
  path: string;
  title: string;
  status: Status;
  comes: boolean;
  /** matched, path, work, always, action; paused, room, given, never, status, project, weak, nothing */
  code: string;
  /** one sentence for a person */
  text: string;
}

/** Explanation says of cards whether they come before a request, and why. */
export interface Explanation {
  request: string;
  /** those that come first, the others by how near they are */
  cards: Explained[];
}

/** FillParams is what a model suggests for a card that is open in the editor. */
export interface FillParams {
  uri: string;
  /** the model's name */
  by: string;
  rootCause?: string;
  fix?: string;
  checklist?: string[];
}

/** FolderBrain is a folder of the workspace and the brain that it belongs to, as file URIs. */
export interface FolderBrain {
  folder: string;
  brain: string;
}

/** Footer is what a person sees under an answer. */
export interface Footer {
  answerId: string;
  lessons: Hit[];
  /** when each was shown, by path: start (its title alone), before, prompt, action */
  moments?: Record<string, string>;
  /** of what the turn was shown, estimated */
  tokens?: number;
  notes: Hit[];
  /** broken and open items, gravest first */
  unaddressed: Verdict[];
  /** of all items that apply, in the cards' order */
  verdicts: Verdict[];
  /** in the order of the commands */
  evidence: Evidence[];
  /** claims of the answer that nothing in the conversation supports */
  doubts: Doubt[];
  /** the first words of the request, without secrets; "" where they are not known any more */
  asked?: string;
  /** when the answer was checked */
  at?: string;
  agent?: string;
  /** the request's number in its session */
  turn?: number;
  /** cards that were handed over and are missing in the transcript: the host drops blocks */
  lost?: number;
  /** this very answer was checked before */
  repeat?: boolean;
}

/** Hit is a card or note that speaks to a query. */
export interface Hit {
  /** slash path relative to the brain */
  path: string;
  title: string;
  kind: Kind;
  /** relevance times every boost */
  score: number;
  excerpt: string;
  severity?: Severity;
  occurrences?: number;
  /** of a card that is not active */
  status?: Status;
  why: Why;
}

/**
 * IgnoreRequest says of a line that it may break an item. Without a path it only asks for
 * the list. The card stays as it is.
 */
export interface IgnoreRequest {
  /** of the card */
  path?: string;
  /** as its verdict has it */
  item?: string;
  /** as cards name it */
  file?: string;
  /** of the line, as the verdict's place has it */
  text?: string;
  /** why, up to 300 characters; not needed with off */
  reason?: string;
  /** the line counts again */
  off?: boolean;
}

/** Ignored is a line that breaks an item and may. */
export interface Ignored {
  /** of the card */
  path: string;
  item: string;
  /** as cards name it */
  file: string;
  /** of the line */
  text: string;
  reason: string;
  at: string;
}

/** Inbox is all that waits for a person's word. */
export interface Inbox {
  /** candidates and drafts together */
  waiting: number;
  /** oldest first */
  candidates: Candidate[];
  /** cards that are not finished, never injected */
  drafts: Draft[];
  /** requests that cards are kept from */
  never: Never[];
}

/** JudgeRequest is a person's word on an item of a checked answer. */
export interface JudgeRequest {
  answerId: string;
  /** of the card */
  path: string;
  /** as its verdict has it */
  item: string;
  /** kept or not-here; "" takes the word back */
  state: string;
}

/** LastAnswer is the answer that was checked last. */
export interface LastAnswer {
  agent?: string;
  at: string;
  /** items by what became of them: kept, said, broken, open */
  states: Record<string, number>;
}

/** Left is something that was not done. */
export interface Left {
  /** as it was named */
  id: string;
  /** why, of an error */
  code: string;
  /** the card or file that it is about */
  path?: string;
  /** in the person's words */
  why: string;
}

/** LogRequest selects rows of the journal. */
export interface LogRequest {
  /** of one card; "" for all */
  path?: string;
  /** rows; 0 means all */
  limit?: number;
}

/** LogRow is what was done to one card. */
export interface LogRow {
  /** name of the act */
  act: string;
  at: string;
  /** what was done: create, bump, archive, merge, undo … */
  verb: string;
  /** for people */
  why?: string;
  /** slash path in the brain */
  path: string;
  /** where a moved file was before */
  from?: string;
  /** SHA-256 of the text before, hex; "" when there was no file */
  before?: string;
  /** of the text after; "" if the file is gone or the text did not change */
  after?: string;
  /** the act that this one reverts */
  undoes?: string;
  /** the act failed or was cut short, and was taken back */
  failed?: boolean;
  /** it was cut short: nobody was told */
  cut?: boolean;
  /** it was taken back */
  undone?: boolean;
}

/** MergeRequest names two cards that say the same. */
export interface MergeRequest {
  /** the card that stays */
  into: string;
  /** the card that goes */
  from: string;
}

/** Never is a kind of request that a card is kept from. */
export interface Never {
  /** Review takes it back by this, as undo does */
  id: string;
  path: string;
  /** its beginning, without secrets */
  request: string;
  /** a request that holds nearly these is one like it */
  words: string[];
  at: string;
}

/** NeverRequest says that a card is not to come before requests like this one. */
export interface NeverRequest {
  /** of the card */
  path: string;
  /** the request */
  query?: string;
  /** or the answer to it */
  answerId?: string;
}

/** Observed is what came of an event. */
export interface Observed {
  /** it is asked about; of several the first */
  candidate?: Candidate;
  /** Hint says that a message may be a complaint or a correction, which somebody who has read the conversation can tell. No person is shown it. */
  hint?: boolean;
  /** Invite says that the agent has our tools and may be told so, once. */
  invite?: boolean;
}

/** Outdated is a card whose code is gone, or was rewritten, since its mistake was last seen. */
export interface Outdated {
  path: string;
  title: string;
  /** the file, symbol or commit that it names */
  code: string;
  /** else rewritten */
  gone?: boolean;
  /** that did it, abbreviated */
  commit: string;
}

/** PauseRequest begins a pause or ends it. */
export interface PauseRequest {
  /** how long it lasts; 0: until it is ended */
  minutes?: number;
  /** ends it */
  off?: boolean;
}

/** Paused says until when no card comes; the zero time where they do, Endless where a person has to end the pause. */
export interface Paused {
  until?: string;
}

/** Place is where a verdict can be seen. */
export interface Place {
  /** as cards name it */
  file?: string;
  /** where it is, absolute */
  path?: string;
  /** from 1, 0 where it is not known */
  line?: number;
  /** of the line */
  text?: string;
  command?: string;
  /** of the answer */
  sentence?: string;
}

/**
 * Preflight is what goes before a request. Block is empty when no card clears the
 * floor, which is the ordinary case.
 */
export interface Preflight {
  /** names the coming answer in Answered */
  answerId: string;
  /** the lessons, to be put before the request */
  block: string;
  /** the cards in Block, best first */
  lessons: Hit[];
  /** the notes in Context */
  notes: Hit[];
  /** excerpts of notes, to be put after Block */
  context: string;
  /** of cards, to be put before Block: most at a conversation's first request */
  titles?: string;
  /** estimated tokens of Block and Context */
  tokens: number;
  /** nothing is served: the agent got the block a moment ago */
  repeat?: boolean;
}

/** PreflightRequest asks what must be known before a request is answered. */
export interface PreflightRequest {
  query: string;
  /** one conversation with an agent */
  sessionId?: string;
  /** absolute paths or file URIs the request is about */
  files?: string[];
  project?: string;
  /** nobody is about to act on it, such as when an answer is to be checked: no turn begins */
  aside?: boolean;
}

/** ProblemData is one thing that keeps a candidate from becoming a card. */
export interface ProblemData {
  code: ProblemCode;
  /** in the person's language */
  message: string;
  /** 1-based; 0 means the card as a whole */
  line: number;
}

/** QuarantineRequest takes a card out of everything that is put before a request. */
export interface QuarantineRequest {
  path: string;
  /** why, on one line of 1 to 300 characters */
  reason?: string;
}

/** RetrieveRequest is a search: ranked hits without a floor. An empty Query lists the cards seen last. */
export interface RetrieveRequest {
  /** empty lists the cards seen last */
  query: string;
  /** cards that are not active too */
  all?: boolean;
  /** absolute paths or file URIs the request is about */
  files?: string[];
  /** leaves out the cards of other projects */
  project?: string;
  /** hits of each sort; 0 means 10 */
  limit?: number;
  /** cards of this kind alone, and no notes; empty means any */
  kind?: Kind;
}

/** Retrieved is the result of a search. */
export interface Retrieved {
  lessons: Hit[];
  notes: Hit[];
  /** estimated tokens of all excerpts */
  tokens: number;
}

/**
 * ReviewRequest is a person's word about many candidates at once. Each is named by its id, or
 * by the first characters of it, as long as no other begins so.
 */
export interface ReviewRequest {
  /** becomes a draft */
  accept?: string[];
  /** the same event asks no more */
  dismiss?: string[];
  /** kinds of requests that cards may come before again */
  unmute?: string[];
  /** accept although a card says the same or the files are gone */
  anyway?: boolean;
  /** of the drafts' headings */
  language?: Locale;
}

/** Reviewed is what came of a review. What is left waits as before. */
export interface Reviewed {
  drafts: Accepted[];
  /** the others that were named, as they were named */
  done: string[];
  left: Left[];
}

/** Sighting is once that a candidate was seen. */
export interface Sighting {
  at: string;
  /** what the person said of it, or its title */
  said?: string;
  /** of what was read after it had happened: the agent, or git */
  host?: string;
  /** and the conversation */
  talk?: string;
  /** of the candidate that it was by itself */
  id?: string;
}

/** Stats is what came of a brain's cards. */
export interface Stats {
  /** that were ever served, most served first */
  cards: CardStats[];
  /** active cards that no request has matched yet */
  never: Card[];
  /** cards that can be served */
  active: number;
  /** what agents were given in the last seven days */
  week: Told;
  /** one for embeddings is asked */
  model: boolean;
  /** candidates and drafts */
  waiting: number;
  /** of those that the daemon remembers */
  last?: LastAnswer;
}

/** Suggestion is one merge or archiving, for a person to decide. */
export interface Suggestion {
  /** the card to archive, or to merge into another */
  path: string;
  /** the card to merge into; absent: archive it */
  into?: string;
  /** why */
  reason: Reason;
  /** since it was last seen or used */
  days?: number;
  /** of common words */
  share?: number;
  /** of the card */
  title: string;
  /** Reason in a person's words, where they are known */
  why?: string;
}

/** Template is a new card to be filled in in an editor, in three parts that follow each other. No file holds it yet. */
export interface Template {
  /** where the editor may save it: among the drafts */
  path: string;
  /** the frontmatter, without a title */
  head: string;
  /** in the syntax of LSP: the title, the root cause and the checklist, a tab stop each */
  snippet: string;
  /** the other sections */
  rest: string;
}

/** Tidied is what would tidy the brain, or what was done. */
export interface Tidied {
  suggestions: Suggestion[];
  applied: boolean;
  /** cards that were left alone; the log says why */
  failed: string[];
  /** Outdated are cards whose code is gone or was rewritten since their mistake was last seen. */
  outdated?: Outdated[];
}

/** TidyRequest asks what would tidy the brain, or that it be done. */
export interface TidyRequest {
  /** do it; else only say what */
  apply?: boolean;
  /** only what is suggested about these cards; absent: all of it */
  paths?: string[];
}

/** Told is what agents were given on a day, or in a week, and how the mistakes of the cards went. */
export interface Told {
  day?: string;
  conversations: number;
  titles: number;
  /** whole */
  cards: number;
  /** of both, estimated */
  tokens: number;
  /** cards of which an answer kept every item */
  kept?: string[];
  /** cards whose mistake came back */
  fell?: string[];
}

/** Trust says whether the cards of a brain come without being asked for, and which wait. */
export interface Trust {
  trusted: boolean;
  /** made, own, agreed or revoked */
  ground?: Ground;
  /** what others add speaks without a look */
  team: boolean;
  /** most files first */
  others: Written[];
  /** of cards that would speak, where the brain is not trusted */
  titles: string[];
  /** by path */
  waiting: Waiting[];
  /** until when no card comes, whoever wrote it */
  paused?: string;
}

/** TrustParams says what a person decides about the brain and its cards. */
export interface TrustParams {
  /** nothing is changed when absent */
  do?: TrustDeed;
  /** approve: of cards, as PathParams has them */
  paths?: string[];
  /** agree: what others add later speaks, too */
  team?: boolean;
}

/** UndoRequest says what to take back: what was done last, or what was done last to a card. */
export interface UndoRequest {
  /** the last act on this card; "" for the last on any */
  path?: string;
}

/** Undone is what an undo did. */
export interface Undone {
  /** what was taken back: delete, bump, merge … */
  verb: string;
  /** as they stand again */
  cards: Card[];
  /** what the act had made */
  removed: string[];
}

/** Verdict is what a turn did with one checklist item. */
export interface Verdict {
  path: string;
  title: string;
  item: string;
  /** of the item, from 1 */
  line: number;
  /** of the card */
  severity: string;
  /** kept, said (by the answer alone), broken, open */
  state: string;
  /** what says so: check, command, line, answer */
  by: string;
  place?: Place;
  /** of an open item: its words that nothing shows */
  missing: string[];
}

/** Waiting is a file that speaks only once the person has approved its text. */
export interface Waiting {
  path: string;
  /** of a note its file's name */
  title: string;
  /** of its last commit; before Look, of who brought it since the person knew all */
  author?: string;
  reason: WaitReason;
  /** the text that was approved before; it and the next are for Look */
  before?: string;
  now: string;
}

/** Why explains a Hit: which words of the query it answers, how relevant that makes it and what each boost multiplied. */
export interface Why {
  terms: string[];
  relevance: number;
  boosts: Record<string, number>;
  /** cosine with the query, where an embeddings model has a say */
  similarity?: number;
}

/** WhyRequest asks why cards come before a request, or why one does not. */
export interface WhyRequest {
  /** the request */
  query?: string;
  /** or the answer to it, for as long as this process remembers its request */
  answerId?: string;
  /** of one card; without it those that come and the next few */
  path?: string;
  /** its conversation; the answer's is known */
  sessionId?: string;
  files?: string[];
  project?: string;
}

/** Written says how many files of the brain somebody else wrote. */
export interface Written {
  /** as commits name them, with the address; "" where no commit has the files */
  author: string;
  files: number;
}
