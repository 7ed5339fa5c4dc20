// Node strips no types from what lies in node_modules, where npm puts this package: this does.
import { readFileSync } from "node:fs";
import { registerHooks, stripTypeScriptTypes } from "node:module";
import { fileURLToPath } from "node:url";

const SOURCES = new URL("../src/", import.meta.url).href;

registerHooks({
  load(url, context, nextLoad) {
    if (!url.startsWith(SOURCES) || !url.endsWith(".ts")) return nextLoad(url, context);
    const source = stripTypeScriptTypes(readFileSync(fileURLToPath(url), "utf8"));
    return { format: "module", shortCircuit: true, source };
  },
});
