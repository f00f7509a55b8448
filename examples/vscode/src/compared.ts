// What the edits of a text change of the saved game: asked of the server, shown as a page.

/** The answer of the server: its headline, and the whole as HTML without a script. */
export interface Page {
  headline: string;
  html: string;
}

/** What of the editor is needed, so that it can be tried without one. */
export interface Editor {
  open(title: string): { html: string };
  fail(words: string): unknown;
}

/** Nothing is loaded and nothing runs, whatever stands in the rules. */
const POLICY = `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">`;

/** Ask, and show the answer; a refusal is said, and what was cancelled is not spoken of. */
export async function compared(ask: () => Promise<Page>, editor: Editor): Promise<Page | undefined> {
  let page: Page;
  try {
    page = await ask();
  } catch (error) {
    const { code, message } = error as { code?: number; message?: string };
    if (code !== CANCELLED) {
      editor.fail(message ?? String(error));
    }
    return undefined;
  }
  editor.open(page.headline.split("\n")[0]).html = page.html.replace("<head>", `<head>${POLICY}`);
  return page;
}

/** RequestCancelled, of the Language Server Protocol. */
const CANCELLED = -32800;
