// Where the server's program is: the setting, else the one in the extension, else PATH or where installers put it; and how an agent starts it.

import * as fs from 'node:fs';
import * as path from 'node:path';
import { Refusal } from './refusal';

/** What is looked at to find the program. */
export interface Places {
  setting: string; // handrail.server.path, or ''
  extension: string; // its folder
  path: string; // the PATH variable
  platform: NodeJS.Platform;
  home: string;
}

/**
 * Returns the program's path. A configured path that leads nowhere is an error and not a reason to
 * look elsewhere: whoever set it wants that program.
 */
export function findServer(p: Places, isFile: (file: string) => boolean = isRegularFile): string {
  const name = p.platform === 'win32' ? 'handrail.exe' : 'handrail';
  if (p.setting) {
    const file = p.setting.startsWith('~/') ? path.join(p.home, p.setting.slice(2)) : p.setting;
    if (!isFile(file)) throw new Refusal(file, 'no-program');
    return file;
  }
  const windows = p.platform === 'win32';
  const local = path.join(p.home, windows ? 'AppData/Local/Programs/Handrail' : '.local/bin'); // a window need not have the shell's PATH
  const folders = [path.join(p.extension, 'bin'), ...p.path.split(windows ? ';' : ':'), local];
  const found = folders
    .filter(Boolean)
    .map((folder) => path.join(folder, name))
    .find(isFile);
  if (!found) throw new Refusal(name, 'no-program');
  return found;
}

/** The flags that every subcommand has; the brain is named when it is not one that the program finds by itself. It speaks Korean and English and refuses other languages. */
export function common(brain: string | undefined, language: string): string[] {
  return ['--lang', /^ko\b/.test(language) ? 'ko' : 'en', ...(brain ? ['--brain', brain] : [])];
}

function isRegularFile(file: string): boolean {
  return fs.existsSync(file) && fs.statSync(file).isFile();
}
