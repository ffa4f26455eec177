// The page of what came of the cards, in an editor tab. It follows the brain while it is in sight.

import * as vscode from 'vscode';
import type { Model } from './model';

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
    if (!(await this.model.client.ask('handrail/stats', {}))) return; // a person was told why
    this.panel ??= this.open();
    this.panel.reveal();
    await this.refresh();
  }

  private open(): vscode.WebviewPanel {
    const panel = vscode.window.createWebviewPanel('handrail.stats', vscode.l10n.t('What Lessons Did'), vscode.ViewColumn.Active, {
      enableScripts: false,
      enableCommandUris: ['handrail.lesson.open'],
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
      const { webview } = this.panel;
      const style = webview.asWebviewUri(vscode.Uri.joinPath(this.media, 'stats.css')).toString();
      const { html } = await client.request('handrail/statsPage', { style, source: webview.cspSource });
      if (asked === this.loads && html !== webview.html) webview.html = html; // a new page begins at its top
    } catch (err) {
      client.log.warn(`stats: ${String(err)}`); // the page stays as it was
    }
  }

  dispose(): void {
    for (const s of this.subscriptions) s.dispose();
    this.panel?.dispose();
  }
}
