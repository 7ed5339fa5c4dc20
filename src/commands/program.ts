import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, realpathSync } from "node:fs";
import { constants, hostname, setPriority, userInfo } from "node:os";
import { basename, delimiter, dirname, join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import type { DatabaseCheck } from "../adapters/sqlite/check.ts";
import type { Author } from "../domain/audit.ts";
import type { Deployment } from "../domain/deployment.ts";
import { defaultAdminPorts, defaultDatabaseUrls, defaultPorts } from "../wiring/config-schemas.ts";
import type { Runtime } from "../wiring/service.ts";
import { PROGRAM } from "./program-path.ts";

/** How this program was started. */
export type Started = {
  /** The command line of the program; of an executable, its path alone. */
  program: readonly string[];
  /** The settings, those that options of the command line have set included. */
  environment: Record<string, string | undefined>;
  /** The environment that the program was started in, which a container gives each command. */
  inherited: Record<string, string | undefined>;
  /** By default the id of a container, or the name of its pod. */
  host: string;
  directory: string;
  /** Whether what is printed is a help: its examples are for the directory of their reader. */
  isHelp?: boolean;
  /** The file that a path leads to; undefined if there is none. */
  fileAt: (path: string) => string | undefined;
};

/** Where the image of deploy/Containerfile has the executable. */
const IN_IMAGE = "/usr/local/bin/petstore";

/** Whether systemd has started this process (`pid`) as a unit. */
export function isUnit(environment: Started["environment"], pid: number): boolean {
  return environment.SYSTEMD_EXEC_PID === String(pid);
}

const DATA = ["PETSTORE_DEPLOYMENT", "DATABASE_URL"];
const ADDRESS = ["HOST", "PORT", "PETSTORE_BASE_URL", "PETSTORE_STAGING_BASE_URL"];

/** The settings that commands need, by their first two words or the first one; others need DATA. */
const needs: Record<string, readonly string[]> = {
  serve: [...DATA, ...ADDRESS, "PETSTORE_ADMIN_HOST", "PETSTORE_ADMIN_PORT"],
  health: ["PETSTORE_DEPLOYMENT", "HOST", "PORT"],
  openapi: ["PETSTORE_DEPLOYMENT", ...ADDRESS],
  "keys create": [...DATA, ...ADDRESS],
  "keys rotate": [...DATA, ...ADDRESS],
  "keys list": [...DATA, "REDIS_URL"],
  "keys show": [...DATA, "REDIS_URL"],
  "pets import": [...DATA, "PETSTORE_CATEGORY_CHECK"],
  "orders place": [...DATA, "PETSTORE_ORDER_EXPIRY"],
  webhooks: [...DATA, "PETSTORE_WEBHOOK_HOSTS"],
  database: [...DATA, "PETSTORE_BACKUP_DIR"],
  ...Object.fromEntries(["demo", "completion", "help"].map((name) => [name, []])),
};

/**
 * How an operator runs a command, by its first words: as this program was started, and with the settings that the command
 * needs and would not have otherwise, wherever it is typed. A password is not among them.
 */
export function commandOf(started: Started, words: string): string {
  const [first = ""] = words.split(" ");
  const settings = (needs[words] ?? needs[first] ?? DATA).flatMap((variable) => {
    const value = settingOf(started, started.environment, variable);
    return value === undefined ? [] : [{ variable, value }];
  });
  const container = containerOf(started);
  if (container === undefined) {
    const assigned = settings.map(({ variable, value }) => `${variable}=${quoted(value)} `);
    return `${assigned.join("")}${programOf(started)} ${words}`;
  }
  const [program, separator] = container;
  // kubectl passes none on, and the image has no shell that could.
  const added = program.startsWith("kubectl") ? [] : settings;
  const options = added
    .filter(({ variable, value }) => settingOf(started, started.inherited, variable) !== value)
    .map(({ variable, value }) => `--env ${variable}=${quoted(value)} `);
  return `${program} ${options.join("")}${started.host}${separator} petstore ${words}`;
}

/**
 * The value of a variable, unless every directory has the same default. Paths are absolute: those of the default database,
 * too, except in a help.
 */
function settingOf(
  { directory, isHelp }: Started,
  environment: Started["environment"],
  variable: string,
): string | undefined {
  const deployment = environment.PETSTORE_DEPLOYMENT?.trim() === "staging" ? "staging" : "production";
  const fallback = String(defaults[variable]?.[deployment] ?? "");
  const value = environment[variable]?.trim() || fallback;
  const depends = variable === "DATABASE_URL" && value.startsWith(SQLITE) && !isHelp;
  if (value === fallback && !depends) return undefined;
  if (value.startsWith(SQLITE)) return SQLITE + resolve(directory, value.slice(SQLITE.length));
  return variable.endsWith("_DIR") ? resolve(directory, value) : withoutPassword(value);
}

const anywhere = (value: string): Record<Deployment, string> => ({ production: value, staging: value });

const defaults: Record<string, Record<Deployment, string | number>> = {
  PETSTORE_DEPLOYMENT: anywhere("production"),
  DATABASE_URL: defaultDatabaseUrls,
  HOST: anywhere("127.0.0.1"),
  PORT: defaultPorts,
  PETSTORE_ADMIN_HOST: anywhere("127.0.0.1"),
  PETSTORE_ADMIN_PORT: defaultAdminPorts,
  PETSTORE_CATEGORY_CHECK: anywhere("off"),
  PETSTORE_ORDER_EXPIRY: anywhere("off"),
};

const SQLITE = "sqlite:";

function withoutPassword(value: string): string {
  return value.replace(/(?<=:\/\/[^/@]*:)[^/]*(?=@)|(?<=[?&]password=)[^&]*/g, "PASSWORD");
}

/** A word that a shell takes as it is. */
export function quoted(value: string): string {
  return /^[\w./:@%+,=-]+$/.test(value) ? value : `'${value.replaceAll("'", "'\\''")}'`;
}

/** The command that runs another one in the container of this program, and what follows its name; undefined outside of one. */
function containerOf({ program, inherited, fileAt }: Started): [command: string, separator: string] | undefined {
  if (program.length > 1 || program[0] !== IN_IMAGE || inherited.SYSTEMD_EXEC_PID !== undefined) return undefined;
  if (inherited.KUBERNETES_SERVICE_HOST !== undefined) return ["kubectl exec", " --"];
  if (fileAt("/run/.containerenv") !== undefined) return ["podman exec", ""];
  return fileAt("/.dockerenv") === undefined ? undefined : ["docker exec", ""];
}

/**
 * The words that start this program: its name where the PATH has it, otherwise `npx` for a checkout or a package in or around
 * the directory, or a path.
 */
function programOf(started: Started): string {
  const { program } = started;
  const [first = ""] = program;
  if (program.length === 1) {
    const name = ["petstore", basename(first)].find((word) => isOnPath(started, word, first));
    return name ?? quoted(first);
  }
  const main = program.at(-1) ?? "";
  if (main.includes("/_npx/")) return "npx @petstore/server";
  const root = dirname(dirname(main));
  const launcher = join(root, "bin/petstore.js");
  if (isOnPath(started, "petstore", launcher)) return "petstore";
  const isElsewhere = started.fileAt(launcher) !== undefined && !isFoundByNpx(started, root, launcher);
  return isElsewhere ? `node ${quoted(launcher)}` : "npx --no petstore";
}

/** The same for the documentation, which anyone may read: without a path of this machine. */
export function publicProgramOf(started: Started): string {
  const program = programOf(started);
  return program.startsWith("npx ") ? program : "petstore";
}

/**
 * Whether npx finds this file from the directory: in node_modules there or around it, or as the command of the package that the
 * directory is in, which ends at the next package.json or node_modules.
 */
function isFoundByNpx({ directory, fileAt }: Started, root: string, file: string): boolean {
  let isInner = false;
  for (let at = directory; ; at = dirname(at)) {
    const bin = fileAt(join(at, "node_modules/.bin/petstore"));
    if (bin !== undefined) return bin === fileAt(file);
    if (at === root) return !isInner;
    if (at === dirname(at)) return false;
    isInner ||= ["package.json", "node_modules"].some((name) => fileAt(join(at, name)) !== undefined);
  }
}

/** Whether the shell of an operator finds this file by a name. npm and npx put directories of their own before its PATH. */
function isOnPath({ inherited, fileAt }: Started, name: string, file: string): boolean {
  const directories = (inherited.PATH ?? "")
    .split(delimiter)
    .filter((path) => path !== "" && !/node_modules[\\/]\.bin$/.test(path));
  const found = directories.map((path) => fileAt(join(path, name))).find((path) => path !== undefined);
  return found !== undefined && found === fileAt(file);
}

function fileAt(path: string): string | undefined {
  return existsSync(path) ? realpathSync(path) : undefined;
}

const inherited = { ...process.env };
const HERE: Started = {
  program: PROGRAM,
  environment: process.env,
  inherited,
  host: hostname(),
  directory: process.cwd(),
  fileAt,
};

/** A command in backquotes, as an example in a line of its own, or in the place of a file. */
const NAMED = /(?<=`|^ {2,4}|<\()petstore ([a-z]+(?: [a-z]+)?)/gm;

/** Names the commands in a text as the operator runs them. The sources have them as `petstore`. */
export function asRun(text: string, started = HERE): string {
  return text.replace(NAMED, (_, words: string) => commandOf(started, words));
}

/** The same for a help. */
export function asHelp(text: string): string {
  return asRun(text, { ...HERE, isHelp: true });
}

/** The same for a line of JSON, such as the log's. */
export function asRunInJson(line: string): string {
  return line.replace(NAMED, (_, words: string) => JSON.stringify(commandOf(HERE, words)).slice(1, -1));
}

/**
 * Runs a command of this program in a process of its own, with less priority than the service: what takes seconds and cannot
 * be interrupted, such as SQLite's check of a large file. Kills it when the signal is aborted. Resolves with the JSON that it
 * prints. @throws Error with the reason that it prints, or when it does not end by itself
 */
export async function runInChildProcess(args: string[], signal: AbortSignal, command = PROGRAM): Promise<unknown> {
  const [program = "", ...options] = command;
  const child = spawn(program, [...options, ...args], {
    stdio: ["ignore", "pipe", "pipe"],
    signal,
    killSignal: "SIGKILL",
  });
  yieldTo(child.pid);
  const [output, errors, [code, killedBy]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, "close"),
  ]);
  if (output !== "") return JSON.parse(output);
  const reason = errors.trim().replace(/^petstore: /, "");
  throw new Error(reason === "" ? `The process ended with ${killedBy ?? code}.` : reason);
}

/** It may have ended already. */
function yieldTo(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    setPriority(pid, constants.priority.PRIORITY_LOW);
  } catch {
    // It has the priority of the service then.
  }
}

/** How often it checks whether the launcher still runs, in ms. */
const INTERVAL = 1_000;

/**
 * Ends this process as SIGTERM does when the launcher that waits for it is gone: one that was killed passes no signal on.
 * bin/petstore.js names itself in a variable, which the processes that this one starts do not get.
 */
export function endWithLauncher(): void {
  const launcher = process.env.PETSTORE_LAUNCHER;
  if (launcher === undefined) return;
  delete process.env.PETSTORE_LAUNCHER;
  const check = setInterval(() => {
    if (String(process.ppid) === launcher) return;
    clearInterval(check);
    process.kill(process.pid, "SIGTERM");
  }, INTERVAL);
  check.unref();
}

/** The author of changes by commands: the user of the operating system. */
export function commandLineAuthor(): Author {
  return { operator: { name: `command line (${userName()})` } };
}

/** Bun 1.4 reads the name only from the environment. Node throws if the user has none, as in many containers. */
function userName(): string {
  const number = `user ${process.getuid?.()}`;
  try {
    const { username } = userInfo();
    return username === "unknown" || username === "" ? number : username;
  } catch {
    return number;
  }
}

/** The runtime of this process: Bun or Node. */
export async function thisRuntime(): Promise<Runtime> {
  const { platform, versions } = process;
  const { bun, node } = versions;
  const { listen } = bun ? await import("../adapters/listen/bun.ts") : await import("../adapters/listen/node.ts");
  return {
    operatorCommand: asRun('  petstore operators create --name "You" --role admin').trim(),
    publicCommand: publicProgramOf(HERE),
    name: bun ? `Bun ${bun}` : `Node ${node}`,
    listen,
    mapFile: bun && platform !== "win32" ? (await import("../adapters/socket/bun.ts")).mapFile : undefined,
    process: {
      cpu: () => {
        const { user, system } = process.cpuUsage();
        return { user: user / 1e6, system: system / 1e6 };
      },
      memory: () => process.memoryUsage.rss(),
      startedAt: Math.round(Date.now() / 1000 - process.uptime()),
    },
  };
}

/** Runs `petstore database check` in a process of its own. @throws when the check does not end by itself */
export async function checkDatabaseInChildProcess(signal: AbortSignal): Promise<DatabaseCheck> {
  const { problems, lost } = (await runInChildProcess(["database", "check", "--json"], signal)) as Omit<
    DatabaseCheck,
    "lost"
  > & {
    lost: DatabaseCheck["lost"] | null;
  };
  return { problems, lost: lost ?? undefined };
}
