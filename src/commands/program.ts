import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { constants, hostname, setPriority, userInfo } from "node:os";
import { text } from "node:stream/consumers";
import type { DatabaseCheck } from "../adapters/sqlite/check.ts";
import type { Author } from "../domain/audit.ts";
import type { Runtime } from "../wiring/service.ts";
import { PROGRAM } from "./program-path.ts";

type Started = {
  /** The command line of the program; of an executable, its path alone. */
  program: readonly string[];
  /** The variables that name what runs the container. */
  environment: Record<string, string | undefined>;
  exists: (path: string) => boolean;
  /** By default the id of a container, or the name of its pod. */
  host: string;
};

/** Where the image of deploy/Containerfile has the executable. */
const IN_IMAGE = "/usr/local/bin/petstore";

/** Whether systemd has started this process (`pid`) as a unit. */
export function isUnit(environment: Started["environment"], pid: number): boolean {
  return environment.SYSTEMD_EXEC_PID === String(pid);
}

/** How an operator runs a command of this program, by how it was started: `npx petstore` in a checkout. */
export function commandOf({ program, environment, exists, host }: Started): string {
  if (program.length > 1) return "npx petstore";
  if (program[0] !== IN_IMAGE || environment.SYSTEMD_EXEC_PID !== undefined) return "petstore";
  if (environment.KUBERNETES_SERVICE_HOST !== undefined) return `kubectl exec ${host} -- petstore`;
  if (exists("/run/.containerenv")) return `podman exec ${host} petstore`;
  return exists("/.dockerenv") ? `docker exec ${host} petstore` : "petstore";
}

export const COMMAND = commandOf({
  program: PROGRAM,
  environment: process.env,
  exists: existsSync,
  host: hostname(),
});

/** Without the name of a container, for pages that anybody reads. */
const PUBLIC_COMMAND = COMMAND.startsWith("npx") ? COMMAND : "petstore";

/** A command in backquotes, as an example in a line of its own, or in the place of a file. */
const NAMED = /(?<=`|^ {2}|<\(|^ {2}[A-Z]+=.* )petstore (?=[a-z])/gm;

/** Names the commands in a text as the operator runs them. The sources have them as `petstore`. */
export function asRun(text: string, command = COMMAND): string {
  return text.replace(NAMED, () => `${command} `);
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
    command: COMMAND,
    publicCommand: PUBLIC_COMMAND,
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
