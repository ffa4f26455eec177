// As much of VS Code as the modules without a window need.

export const l10n = {
  t: (message: string, ...args: unknown[]) => message.replace(/\{(\d+)\}/g, (_, i: string) => String(args[Number(i)])),
};

export const QuickPickItemKind = { Separator: -1, Default: 0 };
