/** Builds the package, on Bun: the types of the service's document, then dist/. */
import { spawnSync } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { generated } from "./generate.ts";

const place = (path: string) => fileURLToPath(new URL(path, import.meta.url));

const types = await generated();
// Not rewritten if unchanged: another process may be reading it.
if (readFileSync(place("src/schema.ts"), "utf8") !== types) writeFileSync(place("src/schema.ts"), types);
rmSync(place("dist"), { recursive: true, force: true });
const { status } = spawnSync(place("../node_modules/.bin/tsc"), ["--project", place("tsconfig.json")], {
  stdio: "inherit",
});
process.exitCode = status ?? 1;
