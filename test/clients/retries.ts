/**
 * `npm run test:retries`: lets retry libraries of several languages meet what can go wrong, on staging, and compares what
 * they do with the table in docs/retry-libraries.md. `-- --write` renews the table.
 */
import { execFileSync } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runtimeCommand } from "../../bin/runtime.js";
import { startService } from "../support/service.ts";
import { temporaryDirectory } from "../support/temporary.ts";
import { Library } from "./library.ts";
import { ADVANCE, createKeys, type Row, rehearse } from "./rehearsals.ts";

const LIBRARIES = join(import.meta.dir, "libraries");
const PAGE = join(import.meta.dir, "../../docs/retry-libraries.md");
const TABLE = /^\| Library \|.*\n(\|.*\n)+/m;

const read = (path: string) => readFileSync(join(LIBRARIES, path), "utf8");
const { dependencies } = JSON.parse(read("package.json")) as { dependencies: Record<string, string> };
const versionOf = (name: string) =>
  new RegExp(`${name}(?:==| v)(\\S+)`).exec(`${read("requirements.txt")}\n${read("go.mod")}`)?.[1] ??
  dependencies[name];

const directory = temporaryDirectory();
const node = (file: string) => [...runtimeCommand("node"), join(LIBRARIES, file)];
const python = join(directory, "venv/bin/python");
const go = join(directory, "retryablehttp");

const libraries = [
  { name: "[The client](../client/README.md)", command: node("petstore.ts") },
  { name: `ky ${versionOf("ky")}`, command: node("ky.mjs") },
  { name: `p-retry ${versionOf("p-retry")}`, command: node("p-retry.mjs") },
  { name: "p-retry, [waiting](#p-retry)", command: node("p-retry-waiting.mjs") },
  { name: `axios-retry ${versionOf("axios-retry")}, axios ${versionOf("axios")}`, command: node("axios-retry.mjs") },
  {
    name: `urllib3 ${versionOf("urllib3")}, requests ${versionOf("requests")}`,
    command: [python, join(LIBRARIES, "urllib3_retry.py")],
  },
  { name: `go-retryablehttp ${versionOf("go-retryablehttp")}`, command: [go] },
];

/** Installs what npm did not. */
function install(): void {
  execFileSync("python3", ["-m", "venv", join(directory, "venv")]);
  const requirements = ["--requirement", join(LIBRARIES, "requirements.txt")];
  execFileSync(python, ["-m", "pip", "install", "--quiet", "--no-compile", ...requirements], { stdio: "inherit" });
  execFileSync("go", ["build", "-o", go, "."], { cwd: LIBRARIES, stdio: "inherit" });
}

function tableOf(rows: Row[]): string {
  const columns = Object.keys(rows[0] ?? {});
  const lines = [columns, ...rows.map(Object.values)].map((cells) => `| ${cells.join(" | ")} |`);
  return `${lines.toSpliced(1, 0, `|${"---|".repeat(columns.length)}`).join("\n")}\n`;
}

install();
await using service = await startService({ env: { PETSTORE_DEPLOYMENT: "staging", PETSTORE_REQUEST_LOG: "true" } });
const started = await Promise.all(
  libraries.map(async ({ name, command }) => ({
    name,
    library: await Library.start(command),
    keys: await createKeys(service),
  })),
);
await service.advance({ seconds: ADVANCE });
await service.runClock();
const rows = await Promise.all(
  started.map(async ({ name, library, keys }) => ({
    Library: name,
    ...(await rehearse(service, library, name, keys)),
  })),
);
rmSync(directory, { recursive: true, force: true });

const table = tableOf(rows);
console.log(table);
const page = readFileSync(PAGE, "utf8");
const [advice = ""] = /^\/\*\* Waits .*?^function send.*?^}$/ms.exec(read("p-retry-waiting.mjs")) ?? [];
if (advice === "" || !page.includes(advice)) {
  console.error("docs/retry-libraries.md advises something else than p-retry-waiting.mjs does.");
  process.exitCode = 1;
}
if (process.argv.includes("--write")) writeFileSync(PAGE, page.replace(TABLE, table));
else if (page.match(TABLE)?.[0] !== table) {
  console.error("docs/retry-libraries.md has another table. Renew it with `npm run test:retries -- --write`.");
  process.exitCode = 1;
}
