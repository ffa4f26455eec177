// What a person does to one card, from a tree, the picker, a link or the palette.

import * as vscode from 'vscode';
import { choose, group, openAt } from './ask';
import type { Model } from './model';
import type { Card, CreateRequest, Created } from './protocol.gen';
import { contextOf, plain, summary, verbName } from './text';

/** What a command may be handed: a card's path, 'selected', or the node of a tree that stands for a card. */
export type Subject = string | vscode.Uri | { path: string; line?: number } | undefined;

/** The request that is meant: its words, or the answer to it. */
export type Request = { query?: string; answerId?: string };

/** What changes one card by a request of its path. */
type ActMethod = `handrail/${'bump' | 'delete' | 'never' | 'restore' | 'archive' | 'quarantine' | 'verify'}`;

const told = (title: string, verb: string) => vscode.l10n.t('“{0}”: {1}', title, verbName(verb));

/** Whom an act reaches, and whether it changes files. */
export const reach = (verb: string) =>
  verb === 'never' ? vscode.l10n.t('For you alone; no file changes.') : vscode.l10n.t('For everybody: it changes the card’s file.');

/** A card as a row to choose. */
export const cardRow = (c: Card) => ({ label: c.title, description: summary(c), detail: c.path, path: c.path });

/** How long a reason may be, in characters; the server holds to it too. */
const maxReason = 300;

/** Folds what begins at some lines of the editor in front. Nothing is selected for it: a person may type at once. */
const fold = (...selectionLines: number[]) => vscode.commands.executeCommand('editor.fold', { selectionLines });

const linesOf = (document: vscode.TextDocument) => document.getText().trimEnd().split(/\r?\n/);

/** What is wrong with a reason, in a sentence. */
export function badReason(text: string): string | undefined {
  if (!text.trim()) return vscode.l10n.t('It needs a reason');
  const left = maxReason - Array.from(text.trim()).length;
  return left < 0 ? vscode.l10n.t('Too long by {0} characters', -left) : undefined;
}

/** Asks a person for a reason; undefined when none is given. */
export function askReason(title: string, prompt: string): Thenable<string | undefined> {
  return vscode.window.showInputBox({ title, prompt, ignoreFocusOut: true, validateInput: (text) => badReason(text) });
}

export class Actions {
  /** The cards that are selected in the tree. */
  selected: () => Subject[] = () => [];
  private readonly begun = new Map<string, string>(); // files that wait for their first save, and the first line below what they ask for

  constructor(private readonly model: Model) {}

  /** Opens a card, at a 1-based line when one is given. */
  async open(path: string, line?: number, preview = false): Promise<void> {
    await openAt(this.model.client.uri(path), line, preview);
  }

  /** The text of a card that a person typed and did not save. */
  private unsaved(path: string): vscode.TextDocument | undefined {
    const file = this.model.client.uri(path).toString();
    return vscode.workspace.textDocuments.find((d) => d.isDirty && d.uri.toString() === file);
  }

  /** Closes the editors of a file that is no longer there. */
  async close(path: string): Promise<void> {
    const file = this.model.client.uri(path).toString();
    const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
    await vscode.window.tabGroups.close(tabs.filter((t) => t.input instanceof vscode.TabInputText && t.input.uri.toString() === file));
  }

  /** Deletes cards once the person agrees. */
  async delete(path: string, more: string[] = []): Promise<void> {
    const move = vscode.l10n.t('Delete');
    const detail = `${vscode.l10n.t('For everybody: the file goes.')} ${vscode.l10n.t('Undo brings it back.')}`;
    const question = plain(vscode.l10n.t('Delete “{0}”?', this.name(path, more)));
    const chosen = await vscode.window.showWarningMessage(question, { modal: true, detail }, move);
    if (chosen === move) await this.act('handrail/delete', { path }, 'delete', more);
  }

  /** What one card, or several, are called. */
  private name(path: string, more: string[]): string {
    return more.length > 0 ? vscode.l10n.t('{0} lessons', 1 + more.length) : (this.model.card(path)?.title ?? path);
  }

  /** Does something to cards and offers to take it back. What the person typed in them is saved first. */
  async act(method: ActMethod, params: { path: string; [more: string]: unknown }, verb: string, more: string[] = []): Promise<void> {
    const name = this.name(params.path, more);
    const done: string[] = [];
    for (const path of [params.path, ...more]) {
      const unsaved = this.unsaved(path);
      if (unsaved && !(await unsaved.save())) continue; // VS Code says why
      if (await this.model.client.ask(method, { ...params, path })) done.push(path);
    }
    if (done.length > 0) this.offerUndo(`${plain(told(name, verb))}. ${reach(verb)}`, ...done);
  }

  /** Says what was done, and takes it back when the person wants: the last act on each of these cards. */
  offerUndo(message: string, ...paths: string[]): void {
    const undo = vscode.l10n.t('Undo');
    void vscode.window.showInformationMessage(message, undo).then(async (chosen) => {
      if (chosen === undo) for (const path of paths) await this.undo(path);
    });
  }

  /** Takes back what was done last, to one card or to any, and shows the card that this brings back. */
  async undo(path?: string): Promise<void> {
    const done = await this.model.client.ask('handrail/undo', path ? { path } : {});
    if (!done) return;
    const what = told(done.cards[0]?.title ?? done.removed[0] ?? '', done.verb);
    void vscode.window.setStatusBarMessage(`$(discard) ${vscode.l10n.t('Undone: {0}', what)}`, 5000);
    for (const gone of done.removed) await this.close(gone);
    if (done.cards[0]) await this.open(done.cards[0].path, undefined, true);
  }

  /** Makes a draft a card. Either is open afterwards: the problems of a draft that may not become one are marked in it. */
  async promote(path: string): Promise<void> {
    const unsaved = this.unsaved(path);
    if (unsaved) {
      await this.open(path);
      await unsaved.save(); // which promotes by itself
      return;
    }
    const drafts = (await this.model.client.ask('handrail/inbox', {}))?.drafts ?? [];
    const draft = drafts.find((d) => d.path === path && d.weak.includes('missing-title'));
    const prompt = vscode.l10n.t('The rule or the mistake in 4 to 14 words, such as: Never start the dev server: say what to run');
    const title = draft ? await vscode.window.showInputBox({ title: plain(draft.title), prompt, ignoreFocusOut: true }) : '';
    if (title === undefined) return;
    const made = await this.model.client.ask('handrail/promote', { path, title: title.trim() });
    if (made && made.path !== path) await this.close(path);
    if (made) this.offerUndo(`${plain(told(made.title, 'promote'))}. ${reach('promote')}`, made.path);
    await this.open(made?.path ?? path);
  }

  /** Puts cards away, as done or as wrong. Of one that is wrong the person says why. */
  async putAway(path: string, more: string[]): Promise<void> {
    const title = this.name(path, more);
    const done = { label: `$(archive) ${vscode.l10n.t('Done with it')}`, detail: vscode.l10n.t('No agent gets it; a search finds it') };
    const wrong = {
      label: `$(circle-slash) ${vscode.l10n.t('It is wrong…')}`,
      detail: vscode.l10n.t('Whoever records the same again is told why'),
    };
    const how = await choose(vscode.l10n.t('Put Away “{0}”', title), [done, wrong], reach('archive'));
    if (how === done) return this.act('handrail/archive', { path }, 'archive', more);
    const reason = how && (await askReason(title, vscode.l10n.t('Why is it wrong?')));
    if (reason) await this.act('handrail/quarantine', { path, reason }, 'quarantine', more);
  }

  /** Merges a card into another that the person picks, the most alike first. */
  async merge(from: string): Promise<void> {
    const { client } = this.model;
    const title = this.model.card(from)?.title ?? from;
    const found = await client.ask('handrail/retrieve', { query: title, all: true });
    const alike = new Set(found?.lessons.map((hit) => hit.path));
    const others = this.model.cards.filter((c) => c.path !== from).map(cardRow);
    const near = [...alike].flatMap((path) => others.find((c) => c.path === path) ?? []);
    const far = others.filter((c) => !alike.has(c.path));
    const items: (vscode.QuickPickItem & { path?: string })[] = [
      ...group(vscode.l10n.t('Most alike'), near),
      ...group(vscode.l10n.t('Others'), far),
    ];
    const which = vscode.l10n.t('Which card stays? It takes up what the other says');
    const chosen = await choose(vscode.l10n.t('Merge “{0}” into', title), items, which);
    const made = chosen?.path && (await client.ask('handrail/merge', { into: chosen.path, from }));
    if (!made) return;
    this.offerUndo(plain(vscode.l10n.t('“{0}” was merged into “{1}”.', title, made.title)), from);
    await this.open(made.path, undefined, true);
  }

  /** Offers to count a mistake that a card records already, or to use that again; returns false when a new card is wanted. */
  async offerUpdate(path: string, candidateId?: string): Promise<boolean> {
    const card = this.model.card(path);
    const wrong = card?.status === 'quarantined';
    const update = wrong
      ? { label: `$(eye) ${vscode.l10n.t('Use that card again')}`, description: card.quarantine ?? '' }
      : { label: `$(arrow-up) ${vscode.l10n.t('Update that card (occurrences +1)')}`, description: card ? summary(card) : '' };
    const open = { label: `$(go-to-file) ${vscode.l10n.t('Look at that card first')}`, description: '' };
    const create = { label: `$(add) ${vscode.l10n.t('Record a new card')}`, description: '' };
    const title = wrong
      ? vscode.l10n.t('“{0}” says the same and was put away as wrong', card.title)
      : vscode.l10n.t('“{0}” says the same', card?.title ?? path);
    const chosen = await choose(title, [{ ...update, detail: reach('bump') }, open, create]);
    if (chosen === create) return false;
    const updated = chosen?.label === update.label;
    if (updated && wrong) await this.act('handrail/restore', { path }, 'restore');
    else if (updated) await this.act('handrail/bump', { path, ...(candidateId && { candidateId }) }, 'bump');
    if (chosen === open || (chosen && wrong)) await this.open(path, undefined, true);
    return true;
  }

  /** Begins a card in an editor. No disk has it until it is saved; saved complete, it is active. */
  async begin(known: CreateRequest): Promise<void> {
    const made = await this.model.client.ask('handrail/template', known);
    if (!made) return;
    const file = this.model.client.uri(made.path);
    const document = await vscode.workspace.openTextDocument(file.with({ scheme: 'untitled' }));
    if (document.getText() !== '') {
      await vscode.window.showTextDocument(document); // begun before
      return;
    }
    const [below = ''] = made.rest.trimStart().split('\n', 1);
    this.begun.set(file.toString(), below);
    const asked = made.snippet.replace(/\$\{\d:([^}]*)\}/g, '$1');
    const text = new vscode.WorkspaceEdit();
    text.insert(document.uri, new vscode.Position(0, 0), made.head + asked + made.rest);
    await vscode.workspace.applyEdit(text);
    const title = made.head.split('\n').length - 1;
    const end = title + asked.split('\n').length - 1;
    const selection = new vscode.Range(title, 2, title, asked.indexOf('\n'));
    const editor = await vscode.window.showTextDocument(document, { selection });
    await editor.insertSnippet(new vscode.SnippetString(made.snippet), new vscode.Range(title, 0, end, 0)); // not over what was typed by now
    await fold(0, end);
  }

  /** Opens a new card with the cursor on its title, and says when it comes with every request. */
  async openNew(made: Created): Promise<void> {
    const document = await vscode.workspace.openTextDocument(this.model.client.uri(made.path));
    const at = Math.max(
      0,
      linesOf(document).findIndex((line) => line.startsWith('# ')),
    );
    const { text } = document.lineAt(at); // where no title is yet, a comment asks for it, to be written over
    const selection = text.startsWith('# <!--') ? new vscode.Range(at, 2, at, text.length) : new vscode.Range(at, 0, at, 0);
    await vscode.window.showTextDocument(document, { selection, preview: false });
    await fold(0);
    if (!made.everyRequest) return;
    void vscode.window.showInformationMessage(
      vscode.l10n.t(
        'This card comes with every request, whatever that is about. With severity medium it comes only with those that speak of it.',
      ),
    );
  }

  /** What folds in a card: its frontmatter, and where it is begun all below what it asks for. */
  private folds(document: vscode.TextDocument): vscode.FoldingRange[] {
    const file = document.uri.with({ scheme: 'file' });
    const { brain } = this.model.client;
    const lines = brain && file.path.startsWith(`${brain.path}/`) ? linesOf(document) : [];
    const begun = this.begun.get(file.toString());
    const below = begun ? lines.indexOf(begun) - 1 : -1; // the heading itself is where its own section folds
    const head = lines[0] === '---' ? [new vscode.FoldingRange(0, lines.indexOf('---', 1))] : [];
    return below < 0 ? head : [...head, new vscode.FoldingRange(below, lines.length - 1)];
  }

  /** Has a person pick a card. */
  async pick(): Promise<string | undefined> {
    return (await choose('', this.model.cards.map(cardRow), vscode.l10n.t('Which card?')))?.path;
  }

  /** The card that a command is about, else the one in front. */
  path(subject: Subject): string | undefined {
    if (typeof subject === 'string') return subject;
    if (subject instanceof vscode.Uri) return this.model.at(subject)?.path ?? subject.toString(); // the server says what it is
    return subject?.path ?? this.model.at(vscode.window.activeTextEditor?.document.uri)?.path;
  }

  /** The commands about a card, or about all that are selected; fits is held against contextOf, as in the menus. */
  register(): vscode.Disposable[] {
    type Run = (path: string, more: string[], line?: number) => unknown;
    const on = (name: string, fits: RegExp, run: Run) =>
      vscode.commands.registerCommand(`handrail.lesson.${name}`, async (subject: Subject, more?: number | Subject[]) => {
        const all = subject === 'selected' ? this.selected() : Array.isArray(more) ? more : [subject];
        const suits = (path: string) => all.length === 1 || this.model.cards.some((c) => c.path === path && fits.test(contextOf(c)));
        const [path, ...rest] = all.flatMap((one) => this.path(one) ?? []).filter(suits);
        const line = typeof subject === 'object' && 'line' in subject ? subject.line : more;
        if (path) await run(path, rest, typeof line === 'number' ? line : undefined);
      });
    const act = (name: string, fits: RegExp, method: ActMethod) => on(name, fits, (path, more) => this.act(method, { path }, name, more));
    return [
      vscode.languages.registerFoldingRangeProvider({ language: 'markdown' }, { provideFoldingRanges: (d) => this.folds(d) }),
      // The file takes the place of what was untitled. Saved once more, the server sees what it asks of a card.
      vscode.window.onDidChangeActiveTextEditor((e) => {
        if (e && this.begun.delete(e.document.uri.toString())) void vscode.commands.executeCommand('workbench.action.files.save');
      }),
      vscode.workspace.onDidRenameFiles(({ files }) => {
        for (const { oldUri, newUri } of files) {
          const draft = this.model.at(oldUri); // which the server moves when it is saved complete
          const path = newUri.path.slice(oldUri.path.length - (draft?.path.length ?? 0));
          if (draft?.status !== 'draft' || path.startsWith('drafts/')) continue;
          this.offerUndo(plain(told(draft.title, 'promote')), newUri.toString());
        }
      }),
      on('open', /./, (path, _, line) => this.open(path, line)),
      act('bump', /./, 'handrail/bump'),
      act('restore', /archived|quarantined/, 'handrail/restore'),
      on('archive', /^card\.(active|draft)/, (path, more) => this.putAway(path, more)),
      on('promote', /draft/, (path) => this.promote(path)),
      on('verify', /^(?!.*draft)/, (path, more) => {
        const off = this.model.card(path)?.verified ?? false;
        return this.act('handrail/verify', { path, off }, off ? 'unverify' : 'verify', more);
      }),
      on('merge', /./, (path) => this.merge(path)),
      on('delete', /./, (path, more) => this.delete(path, more)),
      vscode.commands.registerCommand('handrail.lesson.undo', () => this.undo()),
    ];
  }
}
