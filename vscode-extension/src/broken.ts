// Lines that break an item of a card, marked as problems for as long as they stand in their file.

import * as vscode from 'vscode';
import { askReason } from './actions';
import type { Model } from './model';
import type { Card, Footer, Verdict } from './protocol.gen';

/** A line that breaks an item. */
export interface Mark {
  uri: string; // of the file
  line: number; // from 1
  text: string; // of the line, without its indent
  verdict: Verdict;
}

/** The marks after a footer: what it says of an item replaces what was said before. */
export function marked(marks: readonly Mark[], footer: Footer, uri: (path: string) => string): Mark[] {
  const judged = new Set(footer.verdicts.map(key));
  const broken = footer.unaddressed.flatMap((verdict) => {
    const { path, line, text } = verdict.place ?? {};
    return verdict.state === 'broken' && path && line && text ? [{ uri: uri(path), line, text, verdict }] : [];
  });
  return [...marks.filter((m) => !judged.has(key(m.verdict))), ...broken];
}

const key = (v: Verdict) => `${v.path}\n${v.item}`;

/** Finds a line again, the nearest of those that say the same; lines count from 1. */
export function refind(lines: readonly string[], near: number, text: string): number | undefined {
  const at = (n: number) => lines[n - 1]?.trim() === text;
  for (let away = 0; away < Math.max(near, lines.length); away++) {
    if (at(near - away)) return near - away;
    if (at(near + away)) return near + away;
  }
  return undefined;
}

export class BrokenLines implements vscode.CodeActionProvider, vscode.Disposable {
  private marks: Mark[] = [];
  private brain: string | undefined;
  private cards: readonly Card[] = [];
  private readonly shown = vscode.languages.createDiagnosticCollection('handrail.broken');
  private readonly files = vscode.workspace.createFileSystemWatcher('**/*', true); // agents write to files that no editor has open
  private readonly subscriptions: vscode.Disposable[];

  constructor(private readonly model: Model) {
    const changed = (uri: vscode.Uri) => void this.look(uri.toString());
    this.subscriptions = [
      this.shown,
      this.files,
      this.files.onDidChange(changed),
      this.files.onDidDelete(changed),
      model.client.onFooter((footer) => this.keep(marked(this.marks, footer, (file) => vscode.Uri.file(file).toString()))),
      model.onDidChange(() => this.follow()),
      vscode.workspace.onDidChangeTextDocument((e) => changed(e.document.uri)),
      vscode.workspace.onDidCloseTextDocument((d) => changed(d.uri)),
      vscode.commands.registerCommand('handrail.line.ignore', (mark: Mark) => this.ignore(mark)),
      vscode.languages.registerCodeActionsProvider({ scheme: 'file' }, this, { providedCodeActionKinds: [vscode.CodeActionKind.QuickFix] }),
    ];
  }

  /** Marks of a card that is out of use, or of another brain, go. */
  private follow(): void {
    const { cards, client } = this.model;
    if (cards === this.cards) return;
    this.cards = cards;
    const moved = this.brain !== client.brain?.toString();
    this.brain = client.brain?.toString();
    if (this.marks.length === 0) return;
    this.keep(this.marks.filter(({ verdict }) => !moved && this.model.card(verdict.path)?.status === 'active'));
  }

  private keep(marks: Mark[]): void {
    const files = new Set([...this.marks, ...marks].map((m) => m.uri));
    this.marks = marks;
    for (const file of files) void this.look(file);
  }

  /** Shows the marks of a file where their lines stand now. Those whose line is gone for good are forgotten. */
  private async look(file: string): Promise<void> {
    const uri = vscode.Uri.parse(file);
    if (!this.marks.some((m) => m.uri === file)) return this.shown.has(uri) ? this.shown.delete(uri) : undefined;
    const document = vscode.workspace.textDocuments.find((d) => d.uri.toString() === file);
    const lines = (document ? document.getText() : await textOf(uri)).split('\n');
    const found: vscode.Diagnostic[] = [];
    this.marks = this.marks.filter((mark) => {
      if (mark.uri !== file) return true;
      const line = refind(lines, mark.line, mark.text);
      if (line === undefined) return document?.isDirty ?? false; // what is not saved may be undone
      mark.line = line;
      found.push(this.diagnostic(mark, lines[line - 1] ?? ''));
      return true;
    });
    this.shown.set(uri, found);
  }

  private diagnostic({ verdict, line }: Mark, text: string): vscode.Diagnostic {
    const range = new vscode.Range(line - 1, text.length - text.trimStart().length, line - 1, text.trimEnd().length);
    const shown = new vscode.Diagnostic(range, verdict.item, vscode.DiagnosticSeverity.Warning);
    shown.source = 'Handrail';
    if (this.model.client.brain) {
      shown.code = { value: verdict.title, target: this.model.client.uri(verdict.path).with({ fragment: `L${verdict.line}` }) };
    }
    return shown;
  }

  provideCodeActions(document: vscode.TextDocument, range: vscode.Range): vscode.CodeAction[] {
    const here = this.marks.filter((m) => {
      return m.uri === document.uri.toString() && range.start.line < m.line && m.line <= range.end.line + 1;
    });
    return here.flatMap((mark) => {
      const { verdict } = mark;
      const open = new vscode.CodeAction(vscode.l10n.t('Open the card “{0}”', verdict.title), vscode.CodeActionKind.QuickFix);
      open.command = { command: 'handrail.lesson.open', title: open.title, arguments: [verdict.path, verdict.line] };
      const ignore = new vscode.CodeAction(vscode.l10n.t('Not here…'), vscode.CodeActionKind.QuickFix);
      ignore.command = { command: 'handrail.line.ignore', title: ignore.title, arguments: [mark] };
      return [open, ignore];
    });
  }

  /** Lets a line break an item, for a reason that the person gives. */
  private async ignore(mark: Mark): Promise<void> {
    const { path, item, place } = mark.verdict;
    const prompt = vscode.l10n.t('Why may this line break “{0}”? For you alone; the card stays as it is', item);
    const reason = await askReason(vscode.l10n.t('Not Here'), prompt);
    if (reason === undefined || !place?.file) return;
    const line = { path, item, file: place.file, text: mark.text };
    if (!(await this.model.client.ask('handrail/ignoreHere', { ...line, reason }))) return;
    this.keep(this.marks.filter((m) => key(m.verdict) !== key(mark.verdict) || m.uri !== mark.uri || m.text !== mark.text));
  }

  dispose = () => this.subscriptions.forEach((s) => void s.dispose());
}

/** The text of a file on disk, '' when it is gone. */
async function textOf(uri: vscode.Uri): Promise<string> {
  try {
    return new TextDecoder().decode(await vscode.workspace.fs.readFile(uri));
  } catch {
    return '';
  }
}
