// The page of what came of the cards, in an editor tab. It follows the brain while it is in sight.

import * as vscode from 'vscode';
import type { Model } from './model';
import { opens, page } from './page';
import type { Stats } from './protocol.gen';

export class StatsView implements vscode.Disposable {
  private panel: vscode.WebviewPanel | undefined;
  private loads = 0;
  private readonly subscriptions: vscode.Disposable[];

  constructor(
    private readonly model: Model,
    private readonly media: vscode.Uri,
  ) {
    this.subscriptions = [
      vscode.commands.registerCommand('handrail.stats.show', () => this.show()),
      model.onDidChange(() => void this.refresh()),
    ];
  }

  private async show(): Promise<void> {
    const stats = await this.model.client.ask('handrail/stats', {});
    if (!stats) return;
    this.panel ??= this.open();
    this.loads++; // what is on its way is older
    this.fill(stats);
    this.panel.reveal();
  }

  private open(): vscode.WebviewPanel {
    const panel = vscode.window.createWebviewPanel('handrail.stats', vscode.l10n.t('What Lessons Did'), vscode.ViewColumn.Active, {
      enableScripts: false,
      enableCommandUris: [opens],
      localResourceRoots: [this.media],
      enableFindWidget: true,
    });
    panel.onDidChangeViewState(() => void this.refresh());
    panel.onDidDispose(() => (this.panel = undefined));
    return panel;
  }

  private async refresh(): Promise<void> {
    const { client } = this.model;
    if (!client.brain) this.panel?.dispose();
    if (!this.panel?.visible) return;
    const asked = ++this.loads;
    try {
      const stats = await client.request('handrail/stats', {});
      if (asked === this.loads) this.fill(stats);
    } catch (err) {
      client.log.warn(`stats: ${String(err)}`); // the page stays as it was
    }
  }

  private fill(stats: Stats): void {
    if (!this.panel) return;
    const { webview } = this.panel;
    const html = page(
      stats,
      vscode.env.language,
      webview.asWebviewUri(vscode.Uri.joinPath(this.media, 'stats.css')).toString(),
      webview.cspSource,
    );
    if (html !== webview.html) webview.html = html; // a new page begins at its top
  }

  dispose(): void {
    for (const s of this.subscriptions) s.dispose();
    this.panel?.dispose();
  }
}
