import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { setTimeout as pause } from "node:timers/promises";
import { BASE_URL } from "../support/client.ts";
import { eventually } from "../support/eventually.ts";
import { commandFor, MAIN } from "../support/runtime.ts";
import { type Store, sqliteIn } from "../support/store.ts";
import { temporaryDirectory } from "../support/temporary.ts";

/** The `petstore` command on the runtime under test, without the launcher, which a third of the time of each start would go to. */
const PETSTORE = commandFor(MAIN);

/** How long a process has used the processor, in ms (proc_pid_stat(5): utime and stime, in hundredths of a second). */
function processorTimeOf(pid: number): number {
  const [, fields = ""] = readFileSync(`/proc/${pid}/stat`, "latin1").split(") ");
  return fields
    .split(" ")
    .slice(11, 13)
    .reduce((sum, ticks) => sum + Number(ticks) * 10, 0);
}

export type Result = {
  code: number | null;
  stdout: string;
  stderr: string;
  /** Standard output as JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into output of every shape
  json: any;
};

/** Starts the `petstore` command, or that of another version, on a store, in its directory. */
export function startPetstore(
  { directory, url }: Store,
  args: string[],
  env: Record<string, string> = {},
  [program, ...options] = PETSTORE,
) {
  return spawn(program, [...options, ...args], {
    cwd: directory,
    env: {
      PATH: process.env.PATH,
      DATABASE_URL: url,
      PETSTORE_BASE_URL: BASE_URL,
      ...env,
    },
  });
}

const LAUNCHER = join(dirname(dirname(MAIN)), "bin/petstore.js");
/** How the program under test prints what starts it: the bundle of the tests has no launcher. */
export const SHOWN_PROGRAM = existsSync(LAUNCHER) ? `node ${LAUNCHER}` : "npx --no petstore";

/** A command in the backquotes of a message, as it is printed where DATABASE_URL names a database. */
export function shownCommand(words: string, url: string, program = SHOWN_PROGRAM): string {
  return `\`DATABASE_URL=${url.replace(/(?<=:\/\/[^/@]*:)[^/]*(?=@)/, "PASSWORD")} ${program} ${words}\``;
}

/** A store, in whose directory commands are run, one after the other. */
export class Workplace {
  readonly #owner: { readonly store: Store };

  /** On a store of its own, or that of a service, which has to run by the first command. */
  constructor(owner: { readonly store: Store } = { store: sqliteIn(temporaryDirectory()) }) {
    this.#owner = owner;
  }

  get store(): Store {
    return this.#owner.store;
  }

  /** Runs a list with `--follow`, until it is disposed of. `lines`: what it has printed, as JSON. */
  follow<Line>(...args: string[]) {
    const following = startPetstore(this.store, [...args, "--follow"]);
    const lines: Line[] = [];
    createInterface({ input: following.stdout }).on("line", (line) => lines.push(JSON.parse(line)));
    return {
      lines,
      /** Resolves when it has used at most a fiftieth of a processor for some seconds, as it does where it has nothing to print. */
      async rests() {
        const used = () => processorTimeOf(following.pid ?? 0);
        await eventually(async () => {
          const [before, began] = [used(), performance.now()];
          await pause(3_000);
          return used() - before <= (performance.now() - began) / 50;
        });
      },
      async [Symbol.asyncDispose]() {
        const ended = once(following, "exit");
        following.kill();
        await ended;
      },
    };
  }

  get directory(): string {
    return this.store.directory;
  }

  path(name: string): string {
    return join(this.directory, name);
  }

  /** A command in the backquotes of a message that this store's commands print. */
  shown(words: string): string {
    return shownCommand(words, this.store.url);
  }

  /** Runs the command to its end. */
  async run(
    args: string[],
    {
      input = "",
      env = {},
      version = PETSTORE,
    }: { input?: string | Uint8Array; env?: Record<string, string>; version?: typeof PETSTORE } = {},
  ) {
    const child = startPetstore(this.store, args, env, version);
    // A command that does not read its input may be gone before it is written.
    child.stdin.on("error", () => {});
    child.stdin.end(input);
    const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
    const result: Result = {
      code: child.exitCode,
      stdout,
      stderr,
      get json() {
        return JSON.parse(stdout);
      },
    };
    if (/^\s+at .*:\d+/m.test(stdout + stderr)) throw new Error(`a stack was printed:\n${stdout}${stderr}`);
    return result;
  }

  /** Runs a command that has to succeed, and gives what it printed as JSON. */
  async json(...args: string[]) {
    const result = await this.run([...args, "--json"]);
    if (result.code !== 0) throw new Error(`petstore ${args.join(" ")} failed:\n${result.stderr}`);
    return result.json;
  }

  remove(): void {
    rmSync(this.directory, { recursive: true, force: true });
  }
}
