import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface, type Interface } from "node:readline";
import { eventually } from "./eventually.ts";
import { freePort } from "./ports.ts";

type Line = {
  msg: string;
  level: number;
  time: number;
  pid: number;
  worker?: number;
  nodes?: number;
  signal?: string;
  adminPort?: number;
};

/** `petstore serve --workers` with all its processes. */
export class RunningWorkers {
  readonly url: string;
  readonly process: ChildProcess;
  readonly log: Line[] = [];
  /** The output outside the log. */
  said = "";
  readonly #lines: Interface;

  constructor(child: ChildProcess, port: number) {
    this.process = child;
    this.url = `http://127.0.0.1:${port}`;
    if (child.stdout === null || child.stderr === null) throw new Error("its output is not to be read");
    this.#lines = createInterface({ input: child.stdout }).on("line", (line) => this.log.push(JSON.parse(line)));
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      this.said += text;
    });
  }

  /** Resolves when all workers listen. @throws when it ends before */
  started(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#lines.on("line", () => this.log.at(-1)?.msg === "started" && resolve());
      this.process.once("close", () => reject(new Error(`it ended:\n${this.said}`)));
    });
  }

  /** The processes that listen, in the order of their log entries. */
  get pids(): number[] {
    return this.log.filter(({ msg }) => msg === "listening").map(({ pid }) => pid);
  }

  /** The first of them that runs. @throws without one: a signal to its place, 0, would be one to all of the tests */
  get first(): number {
    const running = this.pids.find(isRunning);
    if (running === undefined) throw new Error("no worker runs");
    return running;
  }

  /** The URL of the administration listener. */
  get adminUrl(): string {
    return `http://127.0.0.1:${this.log.find(({ msg }) => msg === "started")?.adminPort}`;
  }

  /** Resolves with the printed secrets of first keys, once there is one: what is printed may be read later than the log. */
  async firstKeys(): Promise<string[]> {
    const printed = () => [...this.said.matchAll(/^ {4}(pets_\S+)$/gm)].map(([, secret = ""]) => secret);
    await eventually(() => printed().length > 0);
    return printed();
  }

  /** Stops it and all workers with this signal. Returns its exit code. */
  async end(signal: NodeJS.Signals): Promise<number | null> {
    if (this.process.exitCode !== null || this.process.signalCode !== null) return this.process.exitCode;
    const ended = once(this.process, "exit");
    this.process.kill(signal);
    await ended;
    return this.process.exitCode;
  }

  /** Kills all its processes that still run. */
  async remove(): Promise<void> {
    await this.end("SIGKILL");
    await eventually(() => this.pids.every((pid) => !isRunning(pid)));
  }
}

export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Runs this command line with `serve --workers`, and waits until all workers listen. */
export async function startWorkers(
  [program, ...args]: [string, ...string[]],
  count: number,
  env: Record<string, string>,
): Promise<RunningWorkers> {
  const port = await freePort();
  const child = spawn(program, [...args, "serve", "--workers", String(count)], {
    env: { PORT: String(port), PETSTORE_ADMIN_PORT: "0", PETSTORE_ADDRESS_LIMIT: "1000000", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const workers = new RunningWorkers(child, port);
  await workers.started();
  return workers;
}
