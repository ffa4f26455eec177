import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { Model } from '../../src/model';
import { agents } from '../../src/mcp';

// As much of the window as registration touches.
interface Window {
  trusted: boolean;
  brainPath: string;
  cursor?: unknown;
  grant: (() => void)[];
  registered: string[];
  provider?: { provideMcpServerDefinitions(): unknown; resolveMcpServerDefinition(server: unknown): unknown };
  tools: { name: string }[];
  twice?: boolean; // handrail.mcp
}
const window = vi.hoisted((): Window => ({ trusted: true, brainPath: '', grant: [], registered: [], tools: [] }));

vi.mock('../../src/participant', () => ({ question: () => '' }));
vi.mock('../../src/model', () => ({ project: () => undefined }));
vi.mock('vscode', () => {
  const register = (name: string) => {
    window.registered.push(name);
    return { dispose: () => window.registered.splice(window.registered.indexOf(name), 1) };
  };
  return {
    get cursor() {
      return window.cursor;
    },
    env: { language: 'ko' },
    workspace: {
      get isTrusted() {
        return window.trusted;
      },
      workspaceFolders: [{ uri: 'file:///work' }],
      getConfiguration: () => ({ get: () => window.brainPath }),
      onDidGrantWorkspaceTrust: (run: () => void) => {
        window.grant.push(run);
        return { dispose: () => undefined };
      },
    },
    commands: { executeCommand: (_: string, key: string, value: boolean) => (window.twice = value) },
    lm: {
      get tools() {
        return window.tools;
      },
      registerTool: (name: string) => register(name),
      registerMcpServerDefinitionProvider: (name: string, provider: Required<Window>['provider']) => {
        window.provider = provider;
        return register(name);
      },
    },
    McpStdioServerDefinition: class {
      constructor(
        readonly label: string,
        readonly command: string,
        readonly args: string[],
      ) {}
    },
    Disposable: class {
      constructor(readonly dispose: () => void) {}
    },
    EventEmitter: class {
      private readonly listeners: (() => void)[] = [];
      readonly event = (run: () => void) => (this.listeners.push(run), { dispose: () => undefined });
      fire = () => this.listeners.forEach((run) => run());
      dispose = () => undefined;
    },
  };
});

const client = {
  brain: { fsPath: '/work/.brain' },
  places: [] as unknown[],
  program: () => '/ext/bin/handrail',
  onChanged: (run: () => void) => (changed.push(run), { dispose: () => undefined }),
};
const changed: (() => void)[] = [];
const start = () => agents({ client, projectOf: () => undefined } as unknown as Model);
const change = () => changed.forEach((run) => run());

beforeEach(() => {
  Object.assign(window, {
    trusted: true,
    brainPath: '',
    cursor: undefined,
    grant: [],
    registered: [],
    provider: undefined,
    tools: [],
    twice: false,
  });
  client.places = [];
  changed.length = 0;
  client.brain = { fsPath: '/work/.brain' };
});

describe('the agents of a window', () => {
  it('have the tool and the server, and lose both with the extension', () => {
    const held = start();
    expect(window.registered).toEqual(['handrail.mcp', 'handrail_preflight']);
    expect(window.provider?.provideMcpServerDefinitions()).toEqual([
      { label: 'Handrail', command: '/ext/bin/handrail', args: ['mcp', '--lang', 'ko'], cwd: 'file:///work' },
    ]);
    held.dispose();
    expect(window.registered).toEqual([]);
  });

  it('are told of a brain that the settings name', () => {
    window.brainPath = 'docs/brain';
    start();
    expect(window.provider?.provideMcpServerDefinitions()).toMatchObject([{ args: ['mcp', '--lang', 'ko', '--brain', '/work/.brain'] }]);
  });

  it('are told of the brain that speaks where a window has several', () => {
    client.places = [{}, {}];
    start();
    expect(window.provider?.provideMcpServerDefinitions()).toMatchObject([{ args: ['mcp', '--lang', 'ko', '--brain', '/work/.brain'] }]);
  });

  it('have one tool for the lessons, not a second once the server has its own', () => {
    start();
    change();
    expect(window.twice).toBe(false);
    expect(window.provider?.resolveMcpServerDefinition('it')).toBe('it'); // VS Code starts it
    expect(window.twice).toBe(true);
    change();
    expect(window.twice).toBe(true);
    start(); // the next window: VS Code remembers the tools
    window.tools = [{ name: 'mcp_handrail_lessons_preflight' }];
    change();
    expect(window.twice).toBe(true);
  });

  it('have nothing before the workspace is trusted', () => {
    window.trusted = false;
    start();
    expect(window.registered).toEqual([]);
    window.grant.forEach((run) => run());
    expect(window.registered).toEqual(['handrail.mcp', 'handrail_preflight']);
  });

  it('in Cursor have the server once it runs, with its brain', () => {
    const said: unknown[] = [];
    window.cursor = {
      mcp: {
        registerServer: (config: { server: { args: string[] } }) => said.push(config.server.args.at(-1)),
        unregisterServer: (name: string) => said.push(name),
      },
    };
    const held = start();
    expect(said).toEqual([]);
    change();
    change();
    expect(said).toEqual(['Handrail', '/work/.brain']);
    client.brain = { fsPath: '/other' };
    change();
    expect(said.slice(2)).toEqual(['Handrail', '/other']);
    held.dispose();
    expect(said.slice(4)).toEqual(['Handrail']);
    expect(window.registered).toEqual([]);
  });
});
