import { describe, expect, it } from 'vitest';
import { output, told } from '../../src/connect';

const node = (script: string) => output(process.execPath, ['-e', script]);

describe('a command that connects agents', () => {
  it('is heard when it left one out', async () => {
    expect(await node(`console.log('claude: left out.'); process.exit(1)`)).toBe('claude: left out.\n');
  });

  it('fails when it says so', async () => {
    await expect(node(`console.log('half'); console.error('broken'); process.exit(1)`)).rejects.toThrow();
    await expect(node(`process.exit(1)`)).rejects.toThrow();
    await expect(node(`console.log('x'); process.exit(2)`)).rejects.toThrow();
  });

  it('tells a person all but the changes', () => {
    const diff = '--- a\n+++ a\n@@ -1 +1 @@\n-{}\n\\ No newline at end of file\n+{"hooks": {}}\n';
    expect(told(`${diff}new brain: /w/.brain\ncodex: installed\n`)).toBe('new brain: /w/.brain codex: installed');
  });
});
