import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { commandFor, MAIN } from "../support/runtime.ts";
import { databasePathOf } from "../support/store.ts";

/** A program with its arguments. */
export type Command = [program: string, ...args: string[]];
export type Options = { command?: Command; directory: string; env?: Record<string, string>; cwd?: string };

/** `petstore serve` on the runtime under test, without the launcher in between. */
export const SERVE: Command = [...commandFor(MAIN), "serve"];

/** The output of a process, and how it ended. */
export type End = { code: number | null; signal: NodeJS.Signals | null; stdout: string; stderr: string };

/** A process of `petstore serve`, run as in production: on the machine's own clock. */
export class Program {
  readonly process: ChildProcess;
  /** Everything so far. */
  readonly printed = { stdout: "", stderr: "" };
  readonly #closed: Promise<unknown>;
  #port = 0;

  private constructor({ command = SERVE, directory, env = {}, cwd }: Options) {
    const [program, ...args] = command;
    this.process = spawn(program, args, {
      stdio: ["ignore", "pipe", "pipe"],
      env: {
        PATH: process.env.PATH,
        HOME: directory,
        // Bun would keep what it makes of sources there, and give room of a full disk back when it cannot.
        BUN_RUNTIME_TRANSPILER_CACHE_PATH: "0",
        HOST: "127.0.0.1",
        PORT: "0",
        PETSTORE_ADMIN_PORT: "0",
        DATABASE_URL: `sqlite:${databasePathOf(directory)}`,
        ...env,
      },
      ...(cwd !== undefined && { cwd }),
      // Its own process group, as a shell creates for a command.
      detached: true,
    });
    for (const name of ["stdout", "stderr"] as const) {
      this.process[name]?.setEncoding("utf8").on("data", (text: string) => {
        this.printed[name] += text;
      });
    }
    this.#closed = once(this.process, "close");
  }

  /** Starts it and waits until it listens. @throws with its output when it ends before */
  static async start(options: Options): Promise<Program> {
    const program = new Program(options);
    const { stdout } = program.process;
    if (stdout === null) throw new Error("standard output is not a pipe");
    for await (const line of createInterface({ input: stdout })) {
      const port = portIn(line);
      if (port === undefined) continue;
      program.#port = port;
      stdout.resume();
      return program;
    }
    const { stderr } = await program.end();
    throw new Error(`the service did not start:\n${stderr}`);
  }

  /** Runs it until it ends: for a start that fails. */
  static run(options: Options): Promise<End> {
    return new Program(options).end();
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  get isRunning(): boolean {
    return this.process.exitCode === null && this.process.signalCode === null;
  }

  /** Kills it. */
  async kill(): Promise<void> {
    this.process.kill("SIGKILL");
    await this.end();
  }

  /** Resolves once it has ended. */
  async end(): Promise<End> {
    await this.#closed;
    return { code: this.process.exitCode, signal: this.process.signalCode, ...this.printed };
  }
}

function portIn(line: string): number | undefined {
  if (!line.startsWith("{")) return undefined;
  const { msg, port } = JSON.parse(line);
  return msg === "listening" ? Number(port) : undefined;
}
