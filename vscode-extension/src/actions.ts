// What a person does to one card, from a tree, the picker, a link or the palette.

import * as vscode from 'vscode';
import { choose } from './ask';
import type { Model } from './model';
import type { Card, CreateRequest, Created } from './protocol.gen';
import { contextOf, plain, summary, verbName } from './text';

/** What a command may be handed: a card's path, 'selected', or the node of a tree that stands for a card. */
export type Subject = string | vscode.Uri | { path: string; line?: number } | undefined;

/** What changes one card by a request of its path. */
type ActMethod = `handrail/${'bump' | 'never' | 'restore' | 'archive' | 'verify' | 'dropItem'}`;

const told = (title: string, verb: string) => vscode.l10n.t('“{0}”: {1}', title, verbName(verb));

/** How long a reason may be, in characters; the server holds to it too. */
const maxReason = 300;

/** What is wrong with a reason, in a sentence; `none` says that there is none. */
export function badReason(text: string, none = vscode.l10n.t('It needs a reason')): string | undefined {
  if (!text.trim()) return none;
  const left = maxReason - Array.from(text.trim()).length;
  return left < 0 ? vscode.l10n.t('Too long by {0} characters', -left) : undefined;
}

export class Actions {
  /** The cards that are selected in the tree. */
  selected: () => Subject[] = () => [];
  private readonly begun = new Set<string>(); // files that wait for their first save

  constructor(private readonly model: Model) {}

  /** Opens a card, at a 1-based line when one is given. */
  async open(path: string, line?: number, preview = false): Promise<void> {
    const at = line ? new vscode.Range(line - 1, 0, line - 1, 0) : undefined;
    await vscode.commands.executeCommand('vscode.open', this.model.client.uri(path), { preview, ...(at && { selection: at }) });
  }

  /** Closes the editors of a file that is no longer there. */
  async close(path: string): Promise<void> {
    const file = this.model.client.uri(path).toString();
    const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
    await vscode.window.tabGroups.close(tabs.filter((t) => t.input instanceof vscode.TabInputText && t.input.uri.toString() === file));
  }

  /** Moves cards to the brain's trash once the person agrees; returns whether it did. */
  async delete(path: string, ...more: string[]): Promise<boolean> {
    const title = plain(this.model.card(path)?.title ?? path);
    const one = more.length === 0;
    const move = vscode.l10n.t('Move to Trash');
    const detail = vscode.l10n.t('It goes to the brain’s trash and can be brought back.');
    const question = one ? vscode.l10n.t('Delete “{0}”?', title) : vscode.l10n.t('Delete {0} lessons?', 1 + more.length);
    if ((await vscode.window.showWarningMessage(question, { modal: true, detail }, move)) !== move) return false;
    const gone: string[] = [];
    for (const p of [path, ...more]) if (await this.model.client.ask('handrail/delete', { path: p })) gone.push(p);
    if (gone.length === 0) return false;
    this.offerUndo(one ? vscode.l10n.t('“{0}” is in the trash.', title) : vscode.l10n.t('Lessons in the trash: {0}', gone.length), ...gone);
    return true;
  }

  /** Does something to cards and offers to take it back. What the person typed in them is saved first. */
  async act(method: ActMethod, params: { path: string; [more: string]: unknown }, verb: string, more: string[] = []): Promise<void> {
    const done: string[] = [];
    for (const path of [params.path, ...more]) {
      const file = this.model.client.uri(path).toString();
      const unsaved = vscode.workspace.textDocuments.find((d) => d.isDirty && d.uri.toString() === file);
      if (unsaved && !(await unsaved.save())) continue; // VS Code says why
      if (await this.model.client.ask(method, { ...params, path })) done.push(path);
    }
    const [path, ...rest] = done;
    const title = rest.length > 0 ? vscode.l10n.t('{0} lessons', done.length) : (this.model.card(path ?? '')?.title ?? path ?? '');
    if (path) this.offerUndo(plain(told(title, verb)), path, ...rest);
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
    const file = this.model.client.uri(path).toString();
    const unsaved = vscode.workspace.textDocuments.find((d) => d.isDirty && d.uri.toString() === file);
    if (unsaved) {
      await this.open(path);
      await unsaved.save(); // which promotes by itself
      return;
    }
    const drafts = (await this.model.client.ask('handrail/inbox', {}))?.drafts ?? [];
    const draft = drafts.find((d) => d.path === path && d.weak.includes('missing-title'));
    const title = draft ? await this.askTitle(plain(draft.title)) : '';
    if (title === undefined) return;
    const made = await this.model.client.ask('handrail/promote', { path, title });
    if (made && made.path !== path) await this.close(path);
    if (made) this.offerUndo(plain(told(made.title, 'promote')), made.path);
    await this.open(made?.path ?? path);
  }

  /** Asks for the title of a card that has none yet; undefined when the person names none. */
  async askTitle(about: string): Promise<string | undefined> {
    const prompt = vscode.l10n.t('What went wrong, or what to do next time, in one line');
    const title = await vscode.window.showInputBox({ title: about, prompt, ignoreFocusOut: true });
    return title?.trim() || undefined;
  }

  /** Puts cards away, as done or as wrong. Of one that is wrong the person says why. */
  async putAway(path: string, more: string[]): Promise<void> {
    const title = more.length > 0 ? vscode.l10n.t('{0} lessons', 1 + more.length) : (this.model.card(path)?.title ?? path);
    const done = { label: `$(archive) ${vscode.l10n.t('Done with it')}`, detail: vscode.l10n.t('No agent gets it; a search finds it') };
    const wrong = {
      label: `$(circle-slash) ${vscode.l10n.t('It is wrong…')}`,
      detail: vscode.l10n.t('Whoever records the same again is told why'),
    };
    const how = await choose(vscode.l10n.t('Put Away “{0}”', title), [done, wrong]);
    if (how === done) return this.act('handrail/archive', { path }, 'archive', more);
    if (!how) return;
    const prompt = vscode.l10n.t('Why is it wrong?');
    const reason = await vscode.window.showInputBox({ title, prompt, ignoreFocusOut: true, validateInput: (text) => badReason(text) });
    if (reason === undefined) return;
    const away: string[] = [];
    for (const p of [path, ...more]) if (await this.model.client.ask('handrail/quarantine', { path: p, reason })) away.push(p);
    if (away.length > 0) this.offerUndo(plain(told(title, 'quarantine')), ...away);
  }

  /** Merges a card into another that the person picks, the most alike first. */
  async merge(from: string): Promise<void> {
    const { client } = this.model;
    const title = this.model.card(from)?.title ?? from;
    const found = await client.ask('handrail/retrieve', { query: title, all: true });
    const alike = new Set(found?.lessons.map((hit) => hit.path));
    const group = (label: string, cards: readonly Card[]) => [
      { label, kind: vscode.QuickPickItemKind.Separator, path: '' },
      ...cards.map((c) => ({ label: c.title, description: summary(c), detail: c.path, path: c.path })),
    ];
    const others = this.model.cards.filter((c) => c.path !== from);
    const near = [...alike].flatMap((path) => others.find((c) => c.path === path) ?? []);
    const far = others.filter((c) => !alike.has(c.path));
    const items = [
      ...(near.length > 0 ? group(vscode.l10n.t('Most alike'), near) : []),
      ...(far.length > 0 ? group(vscode.l10n.t('Others'), far) : []),
    ];
    const which = vscode.l10n.t('Which card stays? It takes up what the other says');
    const chosen = await choose(vscode.l10n.t('Merge “{0}” into', title), items, which);
    if (chosen) await this.mergeInto(chosen.path, from);
  }

  /** Merges a card into another. */
  async mergeInto(into: string, from: string): Promise<void> {
    const title = this.model.card(from)?.title ?? from;
    const made = await this.model.client.ask('handrail/merge', { into, from });
    if (!made) return;
    this.offerUndo(plain(vscode.l10n.t('“{0}” was merged into “{1}”.', title, made.title)), from);
    await this.open(made.path, undefined, true);
  }

  /** Offers to count a mistake that a card records already; returns false when a new card is wanted. */
  async offerUpdate(path: string, candidateId?: string): Promise<boolean> {
    const card = this.model.card(path);
    if (card?.status === 'quarantined') return this.offerLift(card);
    const choices = {
      update: { label: `$(arrow-up) ${vscode.l10n.t('Update that card (occurrences +1)')}`, description: card ? summary(card) : '' },
      open: { label: `$(go-to-file) ${vscode.l10n.t('Look at that card first')}` },
      create: { label: `$(add) ${vscode.l10n.t('Record a new card')}` },
    };
    const title = vscode.l10n.t('“{0}” says the same', card?.title ?? path);
    const chosen = await choose(title, Object.values(choices));
    if (chosen === choices.create) return false;
    if (chosen === choices.open) await this.open(path, undefined, true);
    if (chosen === choices.update) {
      await this.act('handrail/bump', { path, ...(candidateId && { candidateId }) }, 'bump');
    }
    return true;
  }

  /** Says that a card that was put away as wrong says the same; returns false when a new card is wanted. */
  private async offerLift(card: Card): Promise<boolean> {
    const choices = {
      open: { label: `$(go-to-file) ${vscode.l10n.t('Look at that card first')}`, detail: card.quarantine ?? '' },
      lift: { label: `$(eye) ${vscode.l10n.t('Use that card again')}` },
      create: { label: `$(add) ${vscode.l10n.t('Record a new card')}` },
    };
    const title = vscode.l10n.t('“{0}” says the same and was put away as wrong', card.title);
    const chosen = await choose(title, Object.values(choices));
    if (chosen === choices.create) return false;
    if (chosen === choices.lift) await this.act('handrail/restore', { path: card.path }, 'restore');
    if (chosen) await this.open(card.path, undefined, true);
    return true;
  }

  /** Begins a card in an editor. No disk has it until it is saved; saved complete, it is active. */
  async begin(known: CreateRequest): Promise<void> {
    const made = await this.model.client.ask('handrail/template', known);
    if (!made) return;
    const file = this.model.client.uri(made.path);
    const editor = await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(file.with({ scheme: 'untitled' })));
    if (editor.document.getText() !== '') return; // begun before
    this.begun.add(file.toString());
    await editor.insertSnippet(new vscode.SnippetString(made.snippet));
  }

  /** Writes a card by hand and opens it. */
  async create(params: CreateRequest): Promise<void> {
    const client = this.model.client;
    let made = await client.ask('handrail/create', params);
    if (made?.duplicateOf) {
      if (await this.offerUpdate(made.duplicateOf)) return;
      made = await client.ask('handrail/create', { ...params, fields: { allowTwins: true } });
    }
    if (made) await this.openNew(made);
  }

  /** Opens a new card and says when it comes with every request. */
  async openNew(made: Created): Promise<void> {
    await this.open(made.path);
    if (!made.everyRequest) return;
    void vscode.window.showInformationMessage(
      vscode.l10n.t(
        'This card comes with every request, whatever that is about. With severity medium it comes only with those that speak of it.',
      ),
    );
  }

  /** The path a command is about: its argument, the card in the editor, or the one a person picks. */
  async path(subject: Subject, fits: (c: Card) => boolean, pick = false): Promise<string | undefined> {
    if (typeof subject === 'string') return subject;
    if (subject instanceof vscode.Uri) return this.model.at(subject)?.path ?? subject.toString(); // the server says what it is
    if (subject) return subject.path;
    const open = this.model.at(vscode.window.activeTextEditor?.document.uri);
    if (!pick && open && fits(open)) return open.path;
    const items = this.model.cards.filter(fits).map((c) => ({ label: c.title, description: summary(c), detail: c.path, path: c.path }));
    const placeHolder = items.length > 0 ? vscode.l10n.t('Which card?') : vscode.l10n.t('There is no such card');
    return (await choose('', items, placeHolder))?.path;
  }

  /** The commands about a card, or about all that are selected; fits is held against contextOf, as in the menus. */
  register(): vscode.Disposable[] {
    type Run = (path: string, line: number | undefined, more: string[]) => unknown;
    const on = (name: string, fits: RegExp, run: Run) =>
      vscode.commands.registerCommand(`handrail.lesson.${name}`, async (subject: Subject, more?: number | Subject[]) => {
        const suits = (c: Card) => fits.test(contextOf(c));
        const all = subject === 'selected' ? this.selected() : Array.isArray(more) ? more : [subject];
        const line = typeof subject === 'object' && 'line' in subject ? subject.line : more;
        const found = await Promise.all(all.map((one) => this.path(one, suits)));
        const [path, ...rest] = found.flatMap((p) =>
          p && (all.length === 1 || this.model.cards.some((c) => c.path === p && suits(c))) ? p : [],
        );
        if (path) await run(path, typeof line === 'number' ? line : undefined, rest);
      });
    const act = (name: string, fits: RegExp, method: ActMethod, also = {}, verb = name) =>
      on(name, fits, (path, _, more) => this.act(method, { path, ...also }, verb, more));
    return [
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
      on('open', /./, (path, line) => this.open(path, line)),
      act('bump', /./, 'handrail/bump'),
      act('restore', /archived|quarantined/, 'handrail/restore'),
      on('archive', /^card\.(active|draft)/, (path, _, more) => this.putAway(path, more)),
      on('promote', /draft/, (path) => this.promote(path)),
      on('verify', /^(?!.*draft)/, (path, _, more) => {
        const off = this.model.card(path)?.verified ?? false;
        return this.act('handrail/verify', { path, off }, off ? 'unverify' : 'verify', more);
      }),
      on('merge', /./, (path) => this.merge(path)),
      on('delete', /./, (path, _, more) => this.delete(path, ...more)),
      vscode.commands.registerCommand('handrail.lesson.undo', () => this.undo()),
    ];
  }
}
