import { expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { commandFor } from "../support/runtime.ts";
import { runtimes } from "../support/runtimes.ts";
import { sqliteIn } from "../support/store.ts";
import { temporaryDirectory } from "../support/temporary.ts";

const PROGRAM = fileURLToPath(new URL("handles-program.ts", import.meta.url));
const isLinux = existsSync("/proc/self/fd");
if (!isLinux) console.log("skipped: what commands leave open is not counted, without /proc on this machine");

const COMMANDS = [
  "keys create --create --name one --plan pro",
  "keys list",
  "operators create --name Ada --role admin",
  "operators list",
  "pets import pets.ndjson",
  "pets list",
  "pets list --json",
  "pets export --format csv",
  "categories list",
  "orders place 1",
  "orders list",
  "usage",
  "requests list",
  "audit --json",
  "audit",
  "database check",
  "database backup copy.db",
  "database backup",
  "database backups list",
  "openapi",
].map((line) => line.split(" "));

test.skipIf(!isLinux).each(runtimes)("on %s no command leaves a file, a connection or a timer behind", (runtime) => {
  const store = sqliteIn(temporaryDirectory());
  writeFileSync(join(store.directory, "pets.ndjson"), '{"name":"Rex","categoryId":1}\n{"name":"Mia","categoryId":2}\n');
  const [program, ...args] = commandFor(PROGRAM, runtime);
  const { stdout, stderr, status } = spawnSync(program, [...args, JSON.stringify(COMMANDS)], {
    cwd: store.directory,
    encoding: "utf8",
    env: { PATH: process.env.PATH, DATABASE_URL: store.url },
    timeout: 60_000,
  });
  expect({ status, stderr: status === 0 ? "" : stderr }).toEqual({ status: 0, stderr: "" });
  expect(JSON.parse(stdout)).toEqual(
    Object.fromEntries(COMMANDS.map((words) => [words.join(" "), { code: 0, left: [] }])),
  );
});
