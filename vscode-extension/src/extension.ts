// Where the extension begins: everything is made here and knows of each other only what it is handed.

import * as vscode from 'vscode';
import { choose, openAt, tell } from './ask';
import { Actions, cardRow, type Request, type Subject } from './actions';
import type { Ask, HandrailApi, HandrailExports } from './api';
import { brains } from './brains';
import { BrokenLines } from './broken';
import { CandidatesView } from './candidates';
import { Client } from './client';
import { learn, setUp } from './connect';
import { Drafts } from './draft';
import { FooterView } from './footer';
import { showLog } from './history';
import { LessonsView } from './lessons';
import { agents } from './mcp';
import { Model } from './model';
import { participant } from './participant';
import { Picker } from './picker';
import type { CreateRequest, Methods } from './protocol.gen';
import { Refusal } from './refusal';
import { Senses } from './senses';
import { showStats } from './stats';
import { quoted } from './text';
import { tidy } from './tidy';
import { Others } from './trust';
import { Whys } from './why';

let client: Client | undefined;

export function activate(context: vscode.ExtensionContext): HandrailExports {
  const started = (client = new Client(context.extensionUri));
  const model = new Model(started);
  const actions = new Actions(model);
  const drafts = new Drafts(started, actions);
  const others = new Others(model);
  const footers = new FooterView(model);
  context.subscriptions.push(
    model,
    footers,
    ...footers.register(actions),
    new BrokenLines(model),
    new CandidatesView(model, actions),
    new LessonsView(model, actions),
    new Senses(started),
    others,
    participant(model, drafts, context.extensionUri),
    agents(model),
    ...actions.register(),
    ...commands(started, model, actions, drafts, others),
    vscode.workspace.onDidGrantWorkspaceTrust(() => void started.restart()),
    vscode.workspace.onDidChangeWorkspaceFolders(() => void started.restart()),
    vscode.workspace.onDidChangeConfiguration((e) => {
      const told = ['server.path', 'brain.path', 'embeddings', 'agents', 'trust', 'lens'].map((name) => `handrail.${name}`);
      if (told.some((name) => e.affectsConfiguration(name))) void started.restart();
    }),
  );
  void started.start().then(brains(started, context.subscriptions));
  return exportsOf(started);
}

export async function deactivate(): Promise<void> {
  await client?.dispose();
}

/** What other extensions get. */
function exportsOf(client: Client): HandrailExports {
  const ask =
    <M extends keyof Methods>(method: M): Ask<M> =>
    (params, token) =>
      client.request(method, params, token);
  const api: HandrailApi = {
    version: 1,
    retrieve: ask('handrail/retrieve'),
    preflight: ask('handrail/preflight'),
    postcheck: ask('handrail/postcheck'),
    report: ask('handrail/report'),
    onFooter: client.onFooter,
    onCandidate: client.onCandidate,
  };
  return {
    getApi(version: number): HandrailApi {
      if (version !== 1) throw new Refusal(`Handrail has no API of version ${version}, only 1.`, 'no-such-version');
      return api;
    },
  };
}

/** The commands of the palette that are not about one card or candidate. */
function commands(client: Client, model: Model, actions: Actions, drafts: Drafts, others: Others): vscode.Disposable[] {
  const whys = new Whys(model, actions);
  const table: Record<string, (argument: unknown, more: unknown) => unknown> = {
    'lesson.create': async (chat) => {
      if (!client.brain && !(await client.ask('handrail/brain', {}))) return; // it says what is missing
      if (typeof chat === 'string' && (await drafts.record(chat))) return;
      await actions.begin(selected());
    },
    'lesson.manage': () => {
      new Picker(model, actions);
    },
    'lesson.suggest': (uri) => drafts.suggest(uri as string),
    'lessons.here': async (paths) => {
      const items = (paths as string[]).flatMap((path) => {
        const card = model.card(path);
        return card ? [cardRow(card)] : [];
      });
      const chosen = await choose(vscode.l10n.t('Lessons for This File'), items, vscode.l10n.t('Opens the card'));
      if (chosen) await actions.open(chosen.path);
    },
    'lesson.why': (subject, query) => whys.ask(subject as Subject | Request, query),
    'lessons.tidy': () => tidy(model, actions),
    'stats.show': () => showStats(model, actions),
    'place.open': (path, line) => openAt(vscode.Uri.file(path as string), line as number | undefined),
    'log.show': () => showLog(model, actions),
    'trust.review': () => others.review(),
    'brain.create': async () => {
      if (!vscode.workspace.workspaceFolders) return vscode.commands.executeCommand('vscode.openFolder');
      if (!vscode.workspace.isTrusted) return vscode.commands.executeCommand('workbench.trust.manage');
      const made = await client.ask('handrail/createBrain', {});
      if (!made) return;
      await client.restart(); // beside the new brain's daemon
      await vscode.commands.executeCommand('handrail.lessons.focus');
    },
    pause: async () => {
      if (client.paused) return client.ask('handrail/pause', { off: true });
      const items = [60, 8 * 60, 0].map((minutes) => ({
        label: minutes ? vscode.l10n.t('For {0} h', minutes / 60) : vscode.l10n.t('Until I resume'),
        minutes,
      }));
      const chosen = await choose(vscode.l10n.t('Pause Lessons'), items);
      if (chosen) await client.ask('handrail/pause', { minutes: chosen.minutes });
    },
    'answer.check': () => checkAnswer(model),
    setup: (agent) => setUp(client, ...(typeof agent === 'string' ? [agent] : [])),
    'lessons.learn': () => learn(client),
    'server.restart': () => client.restart(),
    'server.showLog': () => client.log.show(),
  };
  return Object.entries(table).map(([name, run]) => vscode.commands.registerCommand(`handrail.${name}`, run));
}

/** What is selected in the editor in front, as the situation of a card about that file. Nothing else of the window is. */
function selected(): CreateRequest {
  const editor = vscode.window.activeTextEditor;
  if (!editor || editor.selection.isEmpty) return {};
  const { document, selection } = editor;
  const file = vscode.workspace.asRelativePath(document.uri);
  const situation = `\`${file}:${selection.start.line + 1}\`\n\n${quoted(document.getText(selection), document.languageId)}`;
  const paths = vscode.workspace.getWorkspaceFolder(document.uri) && document.languageId !== 'markdown' ? [file] : [];
  return { situation, fields: { paths } };
}

/** Checks the selection, or else the clipboard, against the cards that speak to it. */
async function checkAnswer(model: Model): Promise<void> {
  const { client } = model;
  const editor = vscode.window.activeTextEditor;
  const selected = editor?.document.getText(editor.selection);
  const answer = (selected ?? '') || (await vscode.env.clipboard.readText());
  if (!answer.trim()) return tell(vscode.l10n.t('Select an answer, or copy one, and check again.'));
  const here = model.projectOf(editor?.document.uri);
  const flight = await client.ask('handrail/preflight', { query: answer, aside: true, ...(here && { project: here }) });
  if (!flight) return;
  if (flight.lessons.length === 0) return tell(vscode.l10n.t('No lesson speaks to this answer.'));
  const footer = await client.ask('handrail/postcheck', { answerId: flight.answerId, answer });
  if (!footer) return;
  await vscode.commands.executeCommand('setContext', 'handrail.answered', true); // its view has nothing else to show
  await vscode.commands.executeCommand('handrail.answer.focus');
}
