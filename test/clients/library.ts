import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";

export type Request = { method: string; url: string; headers: Record<string, string>; body?: string };

/** What a call came to: the status of its last response, or its error. */
export type Outcome = { status?: number; error?: string };

/** A program of test/clients/libraries, which makes calls with the retries of one library. */
export class Library {
  readonly #child: ChildProcess;
  readonly #waiting = new Map<string, (outcome: Outcome) => void>();
  #calls = 0;

  private constructor(child: ChildProcess) {
    this.#child = child;
  }

  /** Resolves when the program is ready. @throws when it ends before */
  static async start([program = "", ...args]: string[]): Promise<Library> {
    const child = spawn(program, args, { stdio: ["pipe", "pipe", "ignore"] });
    const library = new Library(child);
    const lines = createInterface({ input: child.stdout });
    const [first] = await Promise.race([once(lines, "line"), once(child, "exit")]);
    if (first !== "ready") throw new Error(`${program} ${args.join(" ")} ended with ${first}`);
    lines.on("line", (line) => {
      const { id, ...outcome } = JSON.parse(line);
      library.#waiting.get(id)?.(outcome);
      library.#waiting.delete(id);
    });
    return library;
  }

  /** Makes a call, beside those under way. It may take as long as the library waits. */
  call(request: Request): Promise<Outcome> {
    const id = String(++this.#calls);
    return new Promise((resolve) => {
      this.#waiting.set(id, resolve);
      this.#child.stdin?.write(`${JSON.stringify({ id, ...request })}\n`);
    });
  }

  stop(): void {
    this.#child.kill("SIGKILL");
  }
}
