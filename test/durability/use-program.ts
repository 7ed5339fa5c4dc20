import { afterEach, beforeEach } from "bun:test";
import { Workplace } from "../commands/petstore.ts";
import { type Store, sqliteIn } from "../support/store.ts";
import { type Command, Program } from "./program.ts";
import { createKey, StoreDirectory } from "./store-directory.ts";

type Options = {
  /** Time for a start on a busy machine, in ms. */
  timeout: number;
  /** Prepares the database, which has a key, before the start. */
  prepare?: (path: string) => Promise<void>;
};

/** A program for each test of the file that calls this, in a directory of its own. */
export function useProgram({ timeout, prepare }: Options): ProgramInDirectory {
  const service = new ProgramInDirectory();
  beforeEach(() => service.open(prepare), timeout);
  afterEach(() => service.remove());
  return service;
}

class ProgramInDirectory {
  readonly workplace = new Workplace(this);
  program!: Program;
  #directory!: StoreDirectory;
  #headers: Record<string, string> = {};

  async open(prepare: Options["prepare"]): Promise<void> {
    this.#directory = new StoreDirectory();
    this.#headers = { Authorization: `Bearer ${await createKey(this.directory)}`, "Content-Type": "application/json" };
    await prepare?.(this.path());
    await this.start();
  }

  async remove(): Promise<void> {
    await this.program.kill();
    this.#directory[Symbol.dispose]();
  }

  get directory(): string {
    return this.#directory.path;
  }

  get store(): Store {
    return sqliteIn(this.directory);
  }

  /** The path of the database, or of the file beside it whose name has this `ending` in addition. */
  path(ending = ""): string {
    return this.workplace.path(`petstore.db${ending}`);
  }

  /** Starts the program again. */
  async start(command?: Command): Promise<void> {
    this.program = await Program.start({ directory: this.directory, ...(command && { command }) });
  }

  get(target: string): Promise<Response> {
    return fetch(this.program.url + target, { headers: this.#headers });
  }

  /** Adds a pet. */
  create(): Promise<Response> {
    const body = JSON.stringify({ name: "Rex", categoryId: 1 });
    return fetch(`${this.program.url}/v1/pets`, { method: "POST", headers: this.#headers, body });
  }
}
