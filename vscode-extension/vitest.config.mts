import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

// The modules under test know VS Code by its types and by l10n alone; the rest of it is the UI tests'.
export default defineConfig({
  resolve: { alias: { vscode: fileURLToPath(new URL('test/unit/vscode.ts', import.meta.url)) } },
  test: { dir: 'test/unit' },
});
