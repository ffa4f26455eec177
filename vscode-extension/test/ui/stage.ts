// What the tests of Handrail share: the built extension and a workspace with the demo brain.

import fs from 'node:fs';
import path from 'node:path';

const root = path.join(import.meta.dirname, '../../..');

/** The extension as "make vsix" packages it for this machine. */
export const vsix = path.join(root, 'vscode-extension/out', `handrail-${process.platform}-${process.arch}.vsix`);

/** The program inside it, for what happens beside VS Code. */
export const program = path.join(root, 'vscode-extension/bin', process.platform === 'win32' ? 'handrail.exe' : 'handrail');

/** The demo brain, by path in the workspace. */
export function demoBrain(): Record<string, string> {
  const dir = path.join(root, 'testdata/brains/demo');
  const files = fs.readdirSync(dir, { recursive: true, encoding: 'utf8' }).filter((f) => f.endsWith('.md'));
  return Object.fromEntries(files.map((f) => [`.brain/${f}`, fs.readFileSync(path.join(dir, f), 'utf8')]));
}

/** A small bot in Go whose test fails until "false" in limit.go becomes "n > 3". */
export const bot = {
  'go.mod': 'module example.com/bot\n\ngo 1.26\n',
  'limit.go': 'package bot\n\n// Limited reports whether a chat sent too much.\nfunc Limited(n int) bool { return false }\n',
  'limit_test.go':
    'package bot\n\nimport "testing"\n\nfunc TestLimited(t *testing.T) {\n\tif !Limited(4) {\n\t\tt.Error("the fourth message is not limited")\n\t}\n}\n',
};

/** A card of long ago that a machine noted and nobody used: what tidy is about, whatever the day. */
export const old = (title: string, item: string) =>
  `---\ntype: lesson\ntitle: ${title}\nsource: auto\nlast-seen: 2020-01-31\n---\n\n## Root Cause\n\nNobody knows any more.\n\n## Prevention Checklist\n\n- [ ] ${item}\n`;
