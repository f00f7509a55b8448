// The language server `gdl lsp` for Visual Studio Code, and the terminals that it has no hands for.

import * as vscode from "vscode";
import { LanguageClient, LanguageClientOptions, ServerOptions } from "vscode-languageclient/node";
import { compared, Page } from "./compared";

const INSTALL = "pip install 'gdl-framework[lsp]'";

const DIFF = "gdl.diffSaved";

let client: LanguageClient | undefined;

function command(): string {
  return vscode.workspace.getConfiguration("gdl").get<string>("command") || "gdl";
}

function seconds(): number {
  return vscode.workspace.getConfiguration("gdl").get<number>("diffSeconds") ?? 60;
}

function active(): vscode.Uri | undefined {
  return vscode.window.activeTextEditor?.document.uri;
}

async function start(): Promise<void> {
  const server: ServerOptions = { command: command(), args: ["lsp"] };
  const options: LanguageClientOptions = {
    documentSelector: [
      { scheme: "file", language: "kif" },
      { scheme: "file", language: "hrf" },
      { scheme: "file", pattern: "**/manifest.toml" },
      { scheme: "file", pattern: "**/*.test.toml" },
    ],
    initializationOptions: { terminal: true, pages: true },
    middleware: {
      // Lenses of the server are commands of the server; what a comparison answers is a page.
      executeCommand: async (name, words, next) => {
        if (name !== DIFF) {
          return next(name, words);
        }
        const params = { command: DIFF, arguments: [words[0] ?? active()?.toString(), seconds()] };
        // Not by `next`, which says in its own words that a request failed.
        return compared(() => started.sendRequest<Page>("workspace/executeCommand", params), {
          open: (title) =>
            vscode.window.createWebviewPanel("gdl.diff", title, vscode.ViewColumn.Beside, { enableScripts: false })
              .webview,
          fail: (words) => vscode.window.showErrorMessage(words),
        });
      },
    },
  };
  const started = new LanguageClient("gdl", "GDL", server, options);
  client = started;
  try {
    await started.start();
  } catch {
    const settings = "Settings";
    const chosen = await vscode.window.showErrorMessage(
      `${command()} lsp did not start. It comes with: ${INSTALL}. The setting gdl.command says where it is.`,
      settings,
    );
    if (chosen === settings) {
      await vscode.commands.executeCommand("workbench.action.openSettings", "gdl.command");
    }
  }
}

async function stop(): Promise<void> {
  const running = client;
  client = undefined;
  if (running?.isRunning()) {
    await running.stop();
  }
}

/** Run a command of gdl on a rule file, as it is on the disk, in a terminal of its own. */
async function inTerminal(name: string, address?: string): Promise<void> {
  const uri = address ? vscode.Uri.parse(address) : active();
  if (uri === undefined) {
    return;
  }
  const open = vscode.workspace.textDocuments.find((each) => each.uri.toString() === uri.toString());
  if (open?.isDirty && !(await open.save())) {
    return;
  }
  // The program itself, no shell: a path may hold whatever a file system allows.
  const terminal = vscode.window.createTerminal({
    name: `gdl ${name}`,
    shellPath: command(),
    shellArgs: [name, uri.fsPath],
  });
  terminal.show();
}

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  context.subscriptions.push(
    vscode.commands.registerCommand("gdl.play", (address?: string) => inTerminal("play", address)),
    vscode.commands.registerCommand("gdl.verify", (address?: string) => inTerminal("verify", address)),
    vscode.commands.registerCommand("gdl.restart", async () => {
      await stop();
      await start();
    }),
  );
  await start();
}

export function deactivate(): Promise<void> {
  return stop();
}
