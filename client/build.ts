/** Builds the package, on Bun: the types of the service's document, then dist/. */
import { spawnSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { generated } from "./generate.ts";

const place = (path: string) => fileURLToPath(new URL(path, import.meta.url));

writeFileSync(place("src/schema.ts"), await generated());
rmSync(place("dist"), { recursive: true, force: true });
const { status } = spawnSync(place("../node_modules/.bin/tsc"), ["--project", place("tsconfig.json")], {
  stdio: "inherit",
});
process.exitCode = status ?? 1;
