// What is asked and said in one way everywhere.

import * as vscode from 'vscode';
import { plain } from './text';

const options = { matchOnDescription: true, matchOnDetail: true, ignoreFocusOut: true };

/** Has a person pick one of some rows; undefined means none. */
export function choose<T extends vscode.QuickPickItem>(title: string, items: readonly T[], placeHolder = ''): Thenable<T | undefined> {
  return vscode.window.showQuickPick(items, { ...options, title, placeHolder });
}

/** Has a person pick any of some rows; none of them is picked before. */
export async function chooseAny<T extends vscode.QuickPickItem>(
  title: string,
  items: readonly T[],
  placeHolder = '',
): Promise<readonly T[]> {
  return (await vscode.window.showQuickPick(items, { ...options, title, placeHolder, canPickMany: true })) ?? [];
}

/** Says something that needs no answer. */
export function tell(message: string): void {
  void vscode.window.showInformationMessage(plain(message));
}

/** A time as people here write it. */
export function when(at: string | Date, style: Intl.DateTimeFormatOptions = { dateStyle: 'medium', timeStyle: 'short' }): string {
  return new Intl.DateTimeFormat(vscode.env.language, style).format(new Date(at));
}
