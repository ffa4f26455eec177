import js from '@eslint/js';
import ts from 'typescript-eslint';

export default ts.config(
  { ignores: ['dist/', 'node_modules/', 'src/protocol.gen.ts', 'test/ui/'] },
  js.configs.recommended,
  ...ts.configs.strictTypeChecked,
  { languageOptions: { parserOptions: { projectService: { allowDefaultProject: ['*.mjs', '*.mts'] } } } },
  {
    rules: {
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/no-confusing-void-expression': 'off',
      '@typescript-eslint/no-unsafe-class-instance-assignment': 'off', // VS Code's Disposable is any { dispose() }
    },
  },
  { files: ['*.mjs', '*.mts'], ...ts.configs.disableTypeChecked },
);
