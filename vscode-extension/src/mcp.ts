// The same brain for the agents of this window: an MCP server that VS Code or Cursor starts, and a tool for chats and
// participants. Both are there in trusted workspaces alone.

import * as vscode from 'vscode';
import { common } from './binary';
import type { Client } from './client';
import type { Model } from './model';
import { question } from './participant';

/** What Cursor adds to the API, see https://cursor.com/docs/extension-api. */
type CursorMcp = Record<'registerServer' | 'unregisterServer', (server: unknown) => void>;

export function agents(model: Model): vscode.Disposable {
  const { client } = model;
  const held: vscode.Disposable[] = [];
  const invoke: vscode.LanguageModelTool<{ query: string; files?: string[] }>['invoke'] = async ({ input }, token) => {
    const here = model.projectOf();
    const flight = await client.request('handrail/preflight', { ...input, ...(here && { project: here }) }, token);
    const text = question(flight, '') || vscode.l10n.t('No lesson speaks to this request.');
    return new vscode.LanguageModelToolResult([new vscode.LanguageModelTextPart(text)]);
  };
  const offer = () => held.push(...servers(client), vscode.lm.registerTool('handrail_preflight', { invoke }));
  if (vscode.workspace.isTrusted) offer();
  else held.push(vscode.workspace.onDidGrantWorkspaceTrust(offer));
  return new vscode.Disposable(() => held.forEach((d) => void d.dispose()));
}

function servers(client: Client): vscode.Disposable[] {
  const cursor = (vscode as { cursor?: { mcp?: CursorMcp } }).cursor?.mcp;
  const named = () => cursor ?? (client.places.length > 0 || vscode.workspace.getConfiguration('handrail').get('brain.path'));
  const args = () => ['mcp', ...common(named() ? client.brain?.fsPath : undefined, vscode.env.language)];
  const changes = new vscode.EventEmitter<void>();
  let last = ''; // the first change is that the program runs
  const follow = client.onChanged(() => last !== (last = args().join('\n')) && changes.fire());
  if (cursor) {
    const dispose = () => cursor.unregisterServer('Handrail');
    const register = () => cursor.registerServer({ name: 'Handrail', server: { command: client.program(), args: args(), env: {} } });
    return [follow, changes.event(() => (dispose(), register())), changes, { dispose }];
  }
  if (!('registerMcpServerDefinitionProvider' in vscode.lm)) return [follow, changes];
  // Once VS Code has the same tool from the server, ours steps back (when, in the manifest).
  let started = false;
  const tell = () => {
    const there = started || vscode.lm.tools.some((t) => /^mcp_.*lessons_preflight$/.test(t.name));
    void vscode.commands.executeCommand('setContext', 'handrail.mcp', there);
  };
  const resolveMcpServerDefinition = <T>(server: T) => ((started = true), tell(), server);
  const provideMcpServerDefinitions = () => {
    const server = new vscode.McpStdioServerDefinition('Handrail', client.program(), args(), {});
    const cwd = vscode.workspace.workspaceFolders?.[0]?.uri;
    return [cwd ? Object.assign(server, { cwd }) : server];
  };
  const provider = { onDidChangeMcpServerDefinitions: changes.event, provideMcpServerDefinitions, resolveMcpServerDefinition };
  return [follow, changes, client.onChanged(tell), vscode.lm.registerMcpServerDefinitionProvider('handrail.mcp', provider)];
}
