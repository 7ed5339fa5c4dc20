import { execFileSync, spawnSync } from "node:child_process";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { HistoryEntry } from "../support/calls.ts";

const CHECK = fileURLToPath(new URL("check", import.meta.url));

/** A history of calls in a file, one per line. */
export class History {
  readonly #directory: string;
  readonly #path: string;
  readonly #file: ReturnType<typeof createWriteStream>;

  constructor(directory: string) {
    this.#directory = directory;
    this.#path = join(directory, "history.jsonl");
    this.#file = createWriteStream(this.#path);
  }

  add(entry: HistoryEntry): void {
    this.#file.write(`${JSON.stringify(entry)}\n`);
  }

  /**
   * Runs the checker, whose findings are printed. Returns whether the history is linearizable; undefined if that takes too long
   * to decide, as it may where many calls have no answer.
   */
  async isLinearizable(): Promise<boolean | undefined> {
    this.#file.end();
    await once(this.#file, "finish");
    const program = join(this.#directory, "check");
    execFileSync("go", ["build", "-buildvcs=false", "-o", program, "."], { cwd: CHECK, stdio: "inherit" });
    const { status, error } = spawnSync(program, [this.#path], { stdio: "inherit" });
    if (status === 3) return undefined;
    if (status !== 0 && status !== 1) throw error ?? new Error(`the checker ended with ${status}`);
    return status === 0;
  }
}
