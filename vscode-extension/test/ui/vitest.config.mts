import path from 'node:path';
import { defineConfig } from 'vitest/config';

// Tests in a real VS Code, one file after the other in one process, which keeps the server and the browser.
export default defineConfig({
  root: import.meta.dirname,
  cacheDir: path.join(import.meta.dirname, 'out', 'vite'), // node_modules here belongs to all checkouts
  test: {
    include: ['**/*.ui.test.ts'],
    globalSetup: './lib/install.ts',
    fileParallelism: false,
    isolate: false,
    retry: 0,
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 20_000, interval: 50 } },
  },
});
