// Python with gdl, beside the page: a slow question never stops typing. It is ended and begun anew
// where one takes too long, since nothing can interrupt it.

import { loadPyodide } from "./pyodide/pyodide.mjs";

const began = prepare();

async function prepare() {
  const python = await loadPyodide({ indexURL: new URL("./pyodide/", import.meta.url).href });
  const names = await (await fetch("./packages.json")).json();
  const texts = await Promise.all(
    names.map(async (name) => new Uint8Array(await (await fetch(`./packages/${name}`)).arrayBuffer())),
  );
  texts.forEach((data) => python.unpackArchive(data, "zip", { extractDir: "/packages" }));
  python.FS.writeFile("/packages/session.py", await (await fetch("./session.py")).text());
  python.runPython("import sys; sys.path.insert(0, '/packages')");
  python.runPython(`
import json
import session
from gdl import GdlError

def answer(name, arguments):
    try:
        return json.dumps({"value": getattr(session, name)(*json.loads(arguments))})
    except GdlError as error:
        return json.dumps({"refused": str(error)})
    except RecursionError:
        return json.dumps({"refused": "these rules are nested too deeply for this page"})
`);
  return python.globals.get("answer");
}

began.then(
  () => postMessage({ ready: true }),
  (error) => postMessage({ failed: String(error) }),
);

onmessage = async ({ data: { id, name, args } }) => {
  try {
    postMessage({ id, ...JSON.parse((await began)(name, JSON.stringify(args))) });
  } catch (error) {
    postMessage({ id, refused: `this page failed: ${String(error.message ?? error).slice(-400)}` });
  }
};
