import { type ChildProcess, execFile, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { basename, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { type Cores, findCores } from "./cores.ts";
import { pathOf } from "./tools.ts";

/** Something that listens on the loopback, on the server's core. `url` has no path. */
export type Server = AsyncDisposable & { url: string; port: number; pid: number };

/** What to run, once its port is known, and on which core, where that is not the server's. */
type Program = { command(port: number): string[]; env?(port: number): Record<string, string>; core?: number };

/** How often a starting server is asked whether it answers, and how long it may take to start or to end, in ms. */
const ASK_EVERY = 2;
const PATIENCE = 10_000;

const run = promisify(execFile);

/**
 * A temporary directory and the processes that work there: all of them are gone once it is disposed of.
 * SIGINT and SIGTERM make whatever is under way throw, so that this comes about; a second one does not wait for it.
 * The directory is in /var/tmp, or TMPDIR: /tmp is often not on a disk, and then durability would cost nothing.
 */
export class Workplace implements AsyncDisposable {
  readonly cores: Cores = findCores();
  readonly directory = mkdtempSync(join(onDisk(), "petstore-bench-"));
  readonly #running = new Set<ChildProcess>();
  readonly #interruption = new AbortController();
  #files = 0;

  constructor() {
    // With all its threads this process keeps off the server's core. Without taskset every measure is skipped anyway.
    this.#stayOn([this.cores.load]);
    process.on("exit", () => this.#abandon());
    const interrupt = () => {
      if (this.#interruption.signal.aborted) process.exit(1);
      this.#interruption.abort(new Error("interrupted"));
    };
    for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, interrupt);
  }

  /** @throws once the benchmark was interrupted */
  goOn(): void {
    this.#interruption.signal.throwIfAborted();
  }

  /** Does what starts processes that inherit the cores of PostgreSQL and Redis. */
  async onEngines<T>(start: () => Promise<T>): Promise<T> {
    this.#stayOn(this.cores.engines);
    try {
      return await start();
    } finally {
      this.#stayOn([this.cores.load]);
    }
  }

  /** The path of a file in the directory that nobody else gets. */
  path(name: string): string {
    this.#files += 1;
    return join(this.directory, `${this.#files}-${name}`);
  }

  /** Writes a file into the directory, and gives its path. */
  file(name: string, text: string): string {
    const path = this.path(name);
    writeFileSync(path, text);
    return path;
  }

  /** Starts a server on a free port, and resolves as soon as it answers. @throws when it does not */
  async start({ command, env, core = this.cores.server }: Program): Promise<Server> {
    this.goOn();
    const port = await freePort();
    const [program = "", ...args] = this.#pinned(core, command(port));
    const child = spawn(program, args, {
      cwd: this.directory,
      env: { PATH: process.env.PATH, ...env?.(port) },
      stdio: ["ignore", "ignore", "inherit"],
      // A group of its own: Ctrl-C in a terminal reaches this process alone, which ends the others in order.
      detached: true,
    });
    this.#running.add(child);
    child.on("exit", () => this.#running.delete(child));
    const url = `http://127.0.0.1:${port}`;
    await this.#answers(url, child);
    return { url, port, pid: child.pid ?? 0, [Symbol.asyncDispose]: () => end(child) };
  }

  /** Runs a program to its end on the load's core, and gives what it printed. @throws when it fails or takes too long */
  load(command: string[], seconds: number): Promise<string> {
    return this.run(command, seconds, this.cores.load);
  }

  /** Runs a program to its end on this core, and gives what it printed. @throws when it fails or takes too long */
  async run(command: string[], seconds: number, core: number): Promise<string> {
    this.goOn();
    const [program = "", ...args] = this.#pinned(core, command);
    const options = { cwd: this.directory, timeout: seconds * 1000 + PATIENCE, signal: this.#interruption.signal };
    try {
      return (await run(program, args, options)).stdout;
    } catch (error) {
      this.goOn();
      // Not the error's own message: that repeats the command, which has a key in it.
      const said = error instanceof Error && "stderr" in error ? String(error.stderr).trim() : "";
      throw new Error(`${basename(command[0] ?? "")} failed: ${said || "it said nothing, or took too long"}`);
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
    const deadline = performance.now() + PATIENCE;
    while (child.exitCode === null && performance.now() < deadline) {
      this.goOn();
      const isThere = await fetch(url, { redirect: "manual" }).then(
        () => true,
        () => false,
      );
      if (isThere) return;
      await sleep(ASK_EVERY);
    }
    throw new Error(`${child.spawnargs.join(" ")} does not answer at ${url}.`);
  }

  /** The last resort, when there is no time to wait for anything. */
  #abandon(): void {
    for (const child of this.#running) killGroup(child);
    rmSync(this.directory, { recursive: true, force: true });
  }
}

/** Where databases are put: from here on other temporary directories of this process are made there, too. */
function onDisk(): string {
  process.env.TMPDIR ??= "/var/tmp";
  return process.env.TMPDIR;
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill("SIGTERM");
  const late = setTimeout(() => killGroup(child), PATIENCE);
  await ended;
  clearTimeout(late);
}

/** Ends a process and all that it started, at once. */
function killGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, "SIGKILL");
  } catch {
    // It ended by itself meanwhile.
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new Error("The system gave no port.");
  return address.port;
}
