// As much of VS Code as the modules without a window need.

export const l10n = {
  t: (message: string, ...args: unknown[]) => message.replace(/\{(\d+)\}/g, (_, i: string) => String(args[Number(i)])),
};

export const QuickPickItemKind = { Separator: -1, Default: 0 };
export const TreeItemCollapsibleState = { None: 0, Collapsed: 1, Expanded: 2 };

export class Disposable {
  dispose(): void {}
}

export class EventEmitter {
  event = () => new Disposable();
  fire(): void {}
  dispose(): void {}
}

export class TreeItem {
  constructor(
    readonly label: string,
    readonly collapsibleState?: number,
  ) {}
}

export class ThemeColor {
  constructor(readonly id: string) {}
}

export class ThemeIcon {
  constructor(
    readonly id: string,
    readonly color?: ThemeColor,
  ) {}
}

export class FileDecoration {
  constructor(
    readonly badge?: string,
    readonly tooltip?: string,
    readonly color?: ThemeColor,
  ) {}
}

export class MarkdownString {
  value = '';
  appendText(text: string): this {
    this.value += text;
    return this;
  }
  appendMarkdown(text: string): this {
    this.value += text;
    return this;
  }
}

export const Uri = { from: (parts: { scheme: string; path: string; query?: string }) => parts };

export const ProgressLocation = { Notification: 15 };

export const window = {
  withProgress: (_: unknown, run: (progress: object, token: object) => unknown) => run({}, { onCancellationRequested: () => undefined }),
  createTreeView: () => new Disposable(),
  registerFileDecorationProvider: () => new Disposable(),
};

export const env = { language: 'en' };
export const workspace = { workspaceFolders: [{ uri: { fsPath: process.cwd() } }] };

export const commands = { executeCommand: () => Promise.resolve(), registerCommand: () => new Disposable() };

class Part {
  constructor(readonly value: unknown) {}
}
export class LanguageModelTextPart extends Part {}
export class LanguageModelToolCallPart {
  constructor(
    readonly callId: string,
    readonly name: string,
    readonly input: object,
  ) {}
}
export class LanguageModelToolResultPart {
  constructor(
    readonly callId: string,
    readonly content: unknown[],
  ) {}
}
export const LanguageModelChatMessage = { User: (content: unknown) => ({ content }), Assistant: (content: unknown) => ({ content }) };
export const LanguageModelChatToolMode = { Auto: 1, Required: 2 };
export const lm = { invokeTool: (): Promise<{ content: unknown[] }> => Promise.resolve({ content: [] }) };
