// The language client: six times the rest of the shim, so it is a bundle of its own, loaded once the window has us.

export { CloseAction, ErrorAction, LanguageClient as Connection, RevealOutputChannelOn, State } from 'vscode-languageclient/node';
