import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { Deployment } from "../../src/domain/deployment.ts";
import { KeyAdministration } from "../../src/domain/keys/administration.ts";
import { defaultScopes, type Scope } from "../../src/domain/keys/key.ts";
import type { Limits, Plan } from "../../src/domain/limits/limits.ts";
import { type Operator, OperatorAdministration, type Role } from "../../src/domain/operators.ts";
import { readConfig } from "../../src/wiring/config.ts";
import { openStores, type Stores } from "../../src/wiring/stores.ts";
import { TESTER } from "./author.ts";
import { BASE_URL, bearer, Client } from "./client.ts";
import { commandFor, MAIN } from "./runtime.ts";
import { type Engine, newStore, type Store } from "./store.ts";

/** When a service under test starts: 2026-12-02T10:00:00.250Z. */
export const START = Date.UTC(2026, 11, 2, 10) + 250;

/** The bundle, if bin/test.js has built it; otherwise the sources. */
const PROGRAM = process.env.PETSTORE_TEST_SERVICE ?? fileURLToPath(new URL("serve-with-clock.ts", import.meta.url));

/** The lifetime of the key cache on PostgreSQL, in ms. On SQLite changes are visible at once. */
const KEYS_KNOWN_FOR = 1_000;

export type KeyOptions = { plan?: Plan; limits?: Limits; scopes?: Scope[]; expiresAt?: number };

export type ServiceOptions = {
  /** Further environment variables. */
  env?: Record<string, string>;
  /** An existing store, or the engine of a new one. */
  store?: Store | Engine;
  /** The time of its clock at the start, in Unix ms. */
  now?: number;
};

/** The ports of its listeners; none for the administration if it is disabled. */
type Ports = { listening: number; admin?: number };

type Run = { process: ChildProcess; ports: Ports; store: Store; stores: Stores; isOpen: boolean };

/** A service in its own process, with its own store and a clock that moves only when it is set. */
export class RunningService {
  /** Its output so far. */
  readonly output: string[] = [];
  readonly #env: Record<string, string>;
  readonly #givenStore: Store | Engine | undefined;
  #now: number;
  #run: Run | undefined;

  constructor({ env = {}, store, now = START }: ServiceOptions) {
    this.#env = env;
    this.#givenStore = store;
    this.#now = now;
  }

  /** Starts it on the runtime under test, after a stop on the same store again. @throws when it ends at once */
  async start({ now = this.#now }: { now?: number } = {}): Promise<void> {
    this.#now = now;
    const given = this.#run?.store ?? this.#givenStore;
    const store = typeof given === "object" ? given : await newStore(given, this.#deployment);
    const process = startProcess(store, this.#env, now, this.output);
    const line = await waitFor({ process, output: this.output }, (printed) => printed.startsWith('{"listening":'));
    const config = readConfig({ ...this.#env, DATABASE_URL: store.url, PETSTORE_DATABASE_POOL: "3" });
    const stores = await openStores(config, () => {});
    this.#run = { process, ports: JSON.parse(line), store, stores, isOpen: true };
  }

  get url(): string {
    return `http://127.0.0.1:${this.#started.ports.listening}`;
  }

  /** The URL of its administration listener. */
  get adminUrl(): string {
    return `http://127.0.0.1:${this.#started.ports.admin}`;
  }

  get process(): ChildProcess {
    return this.#started.process;
  }

  get store(): Store {
    return this.#started.store;
  }

  /** Its stores, opened by this process. */
  get stores(): Stores {
    return this.#started.stores;
  }

  get now(): number {
    return this.#now;
  }

  /** Advances the service's clock. */
  async advance({ seconds }: { seconds: number }): Promise<void> {
    await this.setClock(this.#now + seconds * 1000);
  }

  async setClock(now: number): Promise<void> {
    this.#now = now;
    await this.#sendToClock({ now });
  }

  /** Lets the service's clock run, until it is set. `now` stays what it was. */
  runClock(): Promise<void> {
    return this.#sendToClock({ now: this.#now, runs: true });
  }

  async #sendToClock(set: { now: number; runs?: boolean }): Promise<void> {
    const line = JSON.stringify(set);
    const isSet = waitFor(this, (printed) => printed === line);
    this.process.stdin?.write(`${line}\n`);
    await isSet;
  }

  /** Creates a key directly in the service's store, as another process does. */
  async createKey({
    plan = "enterprise",
    limits,
    expiresAt,
    ...options
  }: KeyOptions = {}): Promise<{ id: string; secret: string }> {
    const own = plan === "enterprise" ? (limits ?? { perMinute: 1_000_000, perDay: 1_000_000 }) : undefined;
    const request = { name: "test", plan, limits: own, scopes: options.scopes ?? [...defaultScopes], expiresAt };
    const { key, secret } = await this.#administration.create(request, this.#now);
    return { id: key.id, secret };
  }

  /** Changes a key as another process does, and resolves when the change takes effect in the service. */
  async changeKey<T>(change: (keys: KeyAdministration) => Promise<T>): Promise<T> {
    const changed = await change(this.#administration);
    await this.forgetKeys();
    return changed;
  }

  /** Resolves when the service's key cache has expired. */
  async forgetKeys(): Promise<void> {
    if (this.store.engine === "postgres") await new Promise((resolve) => setTimeout(resolve, KEYS_KNOWN_FOR));
  }

  /** A client with its own key. */
  async withKey(options: KeyOptions = {}): Promise<Client> {
    return this.withSecret((await this.createKey(options)).secret);
  }

  withSecret(secret: string): Client {
    return new Client({ url: this.url, headers: bearer(secret) });
  }

  /** A client without a key. */
  anonymous(): Client {
    return new Client({ url: this.url, headers: {} });
  }

  /** Creates an operator directly in the service's store, and a client with its token. */
  async withOperator(
    role: Role = "admin",
    name = "Ada",
  ): Promise<{ operator: Operator; token: string; client: Client }> {
    const administration = new OperatorAdministration(this.stores.operators, TESTER);
    const { operator, token } = await administration.create(name, role, this.#now);
    const client = Client.ofOperator({ url: this.adminUrl, headers: bearer(token) });
    return { operator, token, client };
  }

  /** Stops it as an operator does. Returns its exit code. */
  stop(): Promise<number | null> {
    return this.#end("SIGTERM");
  }

  /** Kills it. */
  async kill(): Promise<void> {
    await this.#end("SIGKILL");
  }

  /** Stops it if it still runs, and removes its store. */
  async remove(): Promise<void> {
    if (this.#run === undefined) return;
    await this.kill();
    await this.#run.store.remove();
  }

  /** So that `await using` stops it with its test. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.remove();
  }

  get #started(): Run {
    if (this.#run === undefined) throw new Error("the service was not started");
    return this.#run;
  }

  get #deployment(): Deployment {
    return this.#env.PETSTORE_DEPLOYMENT === "staging" ? "staging" : "production";
  }

  get #administration(): KeyAdministration {
    return new KeyAdministration(this.stores.keys, this.#deployment, TESTER);
  }

  async #end(signal: NodeJS.Signals): Promise<number | null> {
    const run = this.#started;
    const { process, stores, isOpen } = run;
    run.isOpen = false;
    if (process.exitCode === null && process.signalCode === null) {
      const ended = once(process, "exit");
      process.kill(signal);
      await ended;
    }
    if (isOpen) await stores.close();
    return process.exitCode;
  }
}

/** Starts a service, on a new store unless `store` is one. */
export async function startService(options: ServiceOptions = {}): Promise<RunningService> {
  const service = new RunningService(options);
  await service.start();
  return service;
}

/** Its output goes, line by line, to `output`, and to the callers of `waitFor`. */
function startProcess(store: Store, env: Record<string, string>, now: number, output: string[]): ChildProcess {
  const [program, ...args] = commandFor(PROGRAM);
  const child = spawn(program, args, {
    stdio: ["pipe", "pipe", "pipe"],
    env: {
      PATH: process.env.PATH,
      HOST: "127.0.0.1",
      PORT: "0",
      PETSTORE_ADMIN_PORT: "0",
      // The host names of requests that tests write by hand.
      PETSTORE_ADMIN_HOSTS: "x,petstore.test",
      DATABASE_URL: store.url,
      PETSTORE_BASE_URL: BASE_URL,
      PETSTORE_ADDRESS_LIMIT: "1000000",
      TEST_NOW: String(now),
      TEST_MAIN: MAIN,
      ...env,
    },
  });
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on("line", (line) => output.push(line) && child.emit("printed", line));
  }
  return child;
}

type Printing = { process: ChildProcess; output: string[] };

/** Resolves with the next line that is `wanted`. @throws when the service ends before */
export function waitFor({ process: child, output }: Printing, wanted: (line: string) => boolean): Promise<string> {
  return new Promise((resolve, reject) => {
    const look = (line: string) => {
      if (!wanted(line)) return;
      child.off("printed", look).off("close", ended);
      resolve(line);
    };
    const ended = () => reject(new Error(`the service ended:\n${output.join("\n")}`));
    // "close" comes after all its output was read, "exit" may come before.
    child.on("printed", look).once("close", ended);
  });
}
