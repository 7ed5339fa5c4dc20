import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import type { Cores } from "./cores.ts";
import type { Tools } from "./requirements.ts";

/** Something that listens, alone on the server's core. `url` has no path. */
export type Server = { url: string; pid: number; stop(): Promise<void> };

type Program = { command: string[]; port: number; env?: Record<string, string> };

/** How often a starting server is asked whether it answers, and how long it may take to start or to end, in ms. */
const ASK_EVERY = 2;
const PATIENCE = 10_000;

const run = promisify(execFile);

/**
 * A temporary directory and the processes that work there: all of them are gone once it is disposed of,
 * also when this process is interrupted. The directory is in /var/tmp, or TMPDIR: /tmp is often not on a disk,
 * and then durability would cost nothing.
 */
export class Workplace implements AsyncDisposable {
  readonly directory = mkdtempSync(join(process.env.TMPDIR ?? "/var/tmp", "petstore-bench-"));
  readonly cores: Cores;
  readonly tools: Tools;
  readonly #running = new Set<ChildProcess>();

  constructor(tools: Tools, cores: Cores) {
    this.tools = tools;
    this.cores = cores;
    process.on("exit", () => this.#abandon());
    for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => process.exit(1));
  }

  /** The path of a file in the directory. */
  path(name: string): string {
    return join(this.directory, name);
  }

  /** Starts a server, and resolves as soon as it takes connections. @throws when it does not */
  async start({ command, port, env = {} }: Program): Promise<Server> {
    const [program = "", ...args] = this.#pinned(this.cores.server, command);
    const child = spawn(program, args, {
      cwd: this.directory,
      env: { PATH: process.env.PATH, ...env },
      stdio: ["ignore", "ignore", "inherit"],
    });
    this.#running.add(child);
    child.on("exit", () => this.#running.delete(child));
    const url = `http://127.0.0.1:${port}`;
    await this.#answers(url, child, command);
    return { url, pid: child.pid ?? 0, stop: () => end(child) };
  }

  /** Runs a program to its end on the load's core, and gives what it printed. @throws when it fails or takes too long */
  load(command: string[], seconds: number): Promise<string> {
    return this.#run(this.cores.load, command, seconds);
  }

  /** The same on the server's core. */
  serve(command: string[], seconds: number): Promise<string> {
    return this.#run(this.cores.server, command, seconds);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#running].map(end));
    rmSync(this.directory, { recursive: true, force: true });
  }

  async #run(core: number, command: string[], seconds: number): Promise<string> {
    const [program = "", ...args] = this.#pinned(core, command);
    const options = { cwd: this.directory, timeout: seconds * 1000 + PATIENCE, maxBuffer: 1e8 };
    return (await run(program, args, options)).stdout;
  }

  #pinned(core: number, command: string[]): string[] {
    return [this.tools.taskset, "--cpu-list", String(core), ...command];
  }

  async #answers(url: string, child: ChildProcess, command: string[]): Promise<void> {
    const deadline = performance.now() + PATIENCE;
    while (child.exitCode === null && performance.now() < deadline) {
      const isThere = await fetch(url, { redirect: "manual" }).then(
        () => true,
        () => false,
      );
      if (isThere) return;
      await sleep(ASK_EVERY);
    }
    throw new Error(`${command.join(" ")} does not answer at ${url}.`);
  }

  #abandon(): void {
    for (const child of this.#running) child.kill("SIGTERM");
    rmSync(this.directory, { recursive: true, force: true });
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill("SIGTERM");
  const late = setTimeout(() => child.kill("SIGKILL"), PATIENCE);
  await ended;
  clearTimeout(late);
}

/** A port that nothing listens on. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new Error("The system gave no port.");
  return address.port;
}
