// What is asked and said in one way everywhere.

import * as vscode from 'vscode';
import { plain } from './text';

const options = { matchOnDescription: true, matchOnDetail: true, ignoreFocusOut: true };

/** Has a person pick one of some rows; undefined means none. */
export async function choose<T extends vscode.QuickPickItem>(title: string, items: readonly T[], placeHolder = ''): Promise<T | undefined> {
  if (items.length > 0) return vscode.window.showQuickPick(items, { ...options, title, placeHolder });
  tell(vscode.l10n.t('There is nothing here.'));
  return undefined;
}

/** Has a person pick any of some rows; none of them is picked before. */
export async function chooseAny<T extends vscode.QuickPickItem>(
  title: string,
  items: readonly T[],
  placeHolder = '',
): Promise<readonly T[]> {
  if (items.length > 0) return (await vscode.window.showQuickPick(items, { ...options, title, placeHolder, canPickMany: true })) ?? [];
  tell(vscode.l10n.t('There is nothing here.'));
  return [];
}

/** Rows under a heading; nothing where there are none. */
export function group<T extends vscode.QuickPickItem>(label: string, rows: readonly T[]): (T | vscode.QuickPickItem)[] {
  return rows.length > 0 ? [{ label, kind: vscode.QuickPickItemKind.Separator }, ...rows] : [];
}

/** Opens a file, at a 1-based line when one is given. */
export async function openAt(file: vscode.Uri, line?: number, preview = true): Promise<void> {
  const selection = line ? new vscode.Range(line - 1, 0, line - 1, 0) : undefined;
  await vscode.commands.executeCommand('vscode.open', file, { preview, ...(selection && { selection }) });
}

/** Shows that something is under way, which a person may call off. */
export function during<T>(title: string, run: () => Thenable<T>, stop: { cancel: () => void }): Thenable<T> {
  const options = { location: vscode.ProgressLocation.Notification, title, cancellable: true };
  return vscode.window.withProgress(options, (_, token) => {
    token.onCancellationRequested(() => stop.cancel());
    return run();
  });
}

/** Says something that needs no answer. */
export function tell(message: string): void {
  void vscode.window.showInformationMessage(plain(message));
}

/** A time as people here write it. */
export function when(at: string | Date, style: Intl.DateTimeFormatOptions = { dateStyle: 'medium', timeStyle: 'short' }): string {
  return new Intl.DateTimeFormat(vscode.env.language, style).format(new Date(at));
}
