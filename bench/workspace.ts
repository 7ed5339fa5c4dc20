import { type ChildProcess, execFile, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { basename, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { type Cores, findCores, keepCoresAwake } from "./cores.ts";
import { pathOf } from "./tools.ts";

/** A server on the loopback address, on the server's core. `url` has no path. */
export type Server = AsyncDisposable & { url: string; port: number; pid: number };

/** A command line and environment for a port, and the core to run on, by default the server's. */
type Program = { command(port: number): string[]; env?(port: number): Record<string, string>; core?: number };

/** The interval between probes of a starting server, and the time to start or to end, in ms. */
const POLL_INTERVAL = 2;
const TIMEOUT = 10_000;

const run = promisify(execFile);

/**
 * A temporary directory and its processes, which disposal removes and ends. SIGINT and SIGTERM make the current step
 * throw, which leads to disposal; a second signal exits at once. The directory is in /var/tmp or TMPDIR: /tmp is often not
 * on a disk, where durability would cost nothing.
 */
export class Workspace implements AsyncDisposable {
  readonly cores: Cores = findCores();
  readonly areCoresAwake = keepCoresAwake();
  readonly directory = mkdtempSync(join(onDisk(), "petstore-bench-"));
  readonly #running = new Set<ChildProcess>();
  readonly #interruption = new AbortController();
  #files = 0;

  constructor() {
    // Keeps all threads of this process off the server's core. Without taskset every benchmark is skipped anyway.
    this.#stayOn([this.cores.load]);
    process.on("exit", () => this.#abandon());
    const interrupt = () => {
      if (this.#interruption.signal.aborted) process.exit(1);
      this.#interruption.abort(new Error("interrupted"));
    };
    for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, interrupt);
  }

  /** @throws when the benchmark was interrupted */
  throwIfInterrupted(): void {
    this.#interruption.signal.throwIfAborted();
  }

  /** Runs `start`, whose processes inherit the cores of PostgreSQL and Redis. */
  async onEngines<T>(start: () => Promise<T>): Promise<T> {
    this.#stayOn(this.cores.engines);
    try {
      return await start();
    } finally {
      this.#stayOn([this.cores.load]);
    }
  }

  /** Returns a new path in the directory. */
  path(name: string): string {
    this.#files += 1;
    return join(this.directory, `${this.#files}-${name}`);
  }

  /** Writes a file to the directory, and returns its path. */
  file(name: string, text: string): string {
    const path = this.path(name);
    writeFileSync(path, text);
    return path;
  }

  /** Starts a server on a free port, and resolves when it responds. @throws when it does not */
  async start({ command, env, core = this.cores.server }: Program): Promise<Server> {
    this.throwIfInterrupted();
    const port = await freePort();
    const [program = "", ...args] = this.#pinned(core, command(port));
    const child = spawn(program, args, {
      cwd: this.directory,
      env: { PATH: process.env.PATH, ...env?.(port) },
      // What it logs, which says why it refused requests, is progress, not figures.
      stdio: ["ignore", process.stderr, "inherit"],
      // A process group of its own: Ctrl-C reaches only this process, which ends the others in order.
      detached: true,
    });
    this.#running.add(child);
    child.on("exit", () => this.#running.delete(child));
    const url = `http://127.0.0.1:${port}`;
    await this.#answers(url, child);
    return { url, port, pid: child.pid ?? 0, [Symbol.asyncDispose]: () => end(child) };
  }

  /** Runs a program on the load's core, and returns its output. @throws when it fails or takes too long */
  load(command: string[], seconds: number): Promise<string> {
    return this.run(command, seconds, this.cores.load);
  }

  /** Runs a program on this core, and returns its output. @throws when it fails or takes too long */
  async run(command: string[], seconds: number, core: number): Promise<string> {
    this.throwIfInterrupted();
    const [program = "", ...args] = this.#pinned(core, command);
    const options = { cwd: this.directory, timeout: seconds * 1000 + TIMEOUT, signal: this.#interruption.signal };
    try {
      return (await run(program, args, options)).stdout;
    } catch (error) {
      this.throwIfInterrupted();
      // Not the error's own message: it repeats the command, which contains a key.
      const printed = error instanceof Error && "stderr" in error ? String(error.stderr).trim() : "";
      throw new Error(`${basename(command[0] ?? "")} failed: ${printed || "it printed nothing, or took too long"}`);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#running].map(end));
    rmSync(this.directory, { recursive: true, force: true });
  }

  #stayOn(cores: number[]): void {
    spawnSync("taskset", ["--all-tasks", "--cpu-list", "--pid", cores.join(","), String(process.pid)]);
  }

  #pinned(core: number, command: string[]): string[] {
    return [pathOf("taskset"), "--cpu-list", String(core), ...command];
  }

  async #answers(url: string, child: ChildProcess): Promise<void> {
    const deadline = performance.now() + TIMEOUT;
    while (child.exitCode === null && performance.now() < deadline) {
      this.throwIfInterrupted();
      const isThere = await fetch(url, { redirect: "manual" }).then(
        () => true,
        () => false,
      );
      if (isThere) return;
      await sleep(POLL_INTERVAL);
    }
    throw new Error(`${child.spawnargs.join(" ")} does not respond at ${url}.`);
  }

  /** Kills all processes without waiting. */
  #abandon(): void {
    for (const child of this.#running) killGroup(child);
    rmSync(this.directory, { recursive: true, force: true });
  }
}

/** Returns the directory for databases, and makes it the one for all temporary directories of this process. */
function onDisk(): string {
  process.env.TMPDIR ??= "/var/tmp";
  return process.env.TMPDIR;
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill("SIGTERM");
  const late = setTimeout(() => killGroup(child), TIMEOUT);
  await ended;
  clearTimeout(late);
}

/** Kills a process and its children. */
function killGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, "SIGKILL");
  } catch {
    // The process has already ended.
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new Error("No free port was found.");
  return address.port;
}
