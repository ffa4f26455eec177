// The same brain for the agents of this window: an MCP server that VS Code or Cursor starts, and a tool for chats and
// participants. Both are there in trusted workspaces alone.

import * as vscode from 'vscode';
import { mcpArgs } from './binary';
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
  const configured = () => vscode.workspace.getConfiguration('handrail').get<string>('brain.path');
  const args = () => mcpArgs((cursor ?? configured()) ? client.brain?.fsPath : undefined, vscode.env.language);
  const changes = new vscode.EventEmitter<void>();
  let last = ''; // the first change is that the program runs
  const follow = client.onChanged(() => last !== (last = args().join('\n')) && changes.fire());
  if (cursor) {
    const dispose = () => cursor.unregisterServer('Handrail');
    const register = () => cursor.registerServer({ name: 'Handrail', server: { command: client.program(), args: args(), env: {} } });
    return [follow, changes.event(() => (dispose(), register())), changes, { dispose }];
  }
  if (!('registerMcpServerDefinitionProvider' in vscode.lm)) return [follow, changes];
  const provideMcpServerDefinitions = () => {
    const server = new vscode.McpStdioServerDefinition('Handrail', client.program(), args(), {});
    const cwd = vscode.workspace.workspaceFolders?.[0]?.uri;
    return [cwd ? Object.assign(server, { cwd }) : server];
  };
  const provider = { onDidChangeMcpServerDefinitions: changes.event, provideMcpServerDefinitions };
  return [follow, changes, vscode.lm.registerMcpServerDefinitionProvider('handrail.mcp', provider)];
}
