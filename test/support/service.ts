import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { SqlOperators } from "../../src/adapters/sql/operators.ts";
import { Database } from "../../src/adapters/sqlite/database.ts";
import { SqliteKeys } from "../../src/adapters/sqlite/keys.ts";
import { KeyAdministration } from "../../src/domain/keys/administration.ts";
import type { Scope } from "../../src/domain/keys/key.ts";
import { scopes } from "../../src/domain/keys/key.ts";
import type { Limits, Plan } from "../../src/domain/limits/plans.ts";
import { OperatorAdministration } from "../../src/domain/operators/administration.ts";
import type { Operator, Role } from "../../src/domain/operators/operator.ts";
import { TESTER } from "./author.ts";
import { Client } from "./client.ts";
import { commandFor } from "./runtime.ts";
import { temporaryDirectory } from "./temporary.ts";

/** The moment at which a service under test starts: 2026-12-02T10:00:00.250Z. */
export const START = Date.UTC(2026, 11, 2, 10) + 250;

/** The base address that the service under test is told: what it names in links, wherever it really listens. */
export const BASE_URL = "http://petstore.test/v1";

const PROGRAM = fileURLToPath(new URL("serve-with-clock.ts", import.meta.url));

/** The database file of a service that runs in this directory. */
export function databasePathOf(directory: string): string {
  return join(directory, "petstore.db");
}

export type KeyOptions = { plan?: Plan; limits?: Limits; scopes?: Scope[]; expiresAt?: number };
/** Where it listens; nowhere for operators if that is switched off. */
type Ports = { listening: number; admin?: number };
type Options = { env?: Record<string, string>; directory?: string; now?: number };

/** A running service, in a process and a directory of its own. */
export class RunningService {
  readonly url: string;
  /** Where it listens to operators. */
  readonly adminUrl: string;
  readonly directory: string;
  /** Everything it printed so far. */
  readonly output: string[];
  readonly process: ChildProcess;
  readonly administration: KeyAdministration;
  readonly database: Database;
  #now: number;
  #isClosed = false;

  constructor(child: ChildProcess, ports: Ports, directory: string, output: string[], now: number) {
    this.process = child;
    this.url = `http://127.0.0.1:${ports.listening}`;
    this.adminUrl = `http://127.0.0.1:${ports.admin}`;
    this.directory = directory;
    this.output = output;
    this.#now = now;
    this.database = new Database(databasePathOf(directory));
    this.administration = new KeyAdministration(new SqliteKeys(this.database), "production", TESTER);
  }

  get now(): number {
    return this.#now;
  }

  /** Moves the service's clock on. */
  async advance({ seconds }: { seconds: number }): Promise<void> {
    await this.setClock(this.#now + seconds * 1000);
  }

  async setClock(now: number): Promise<void> {
    this.#now = now;
    const line = JSON.stringify({ now });
    const told = waitFor(this, (printed) => printed === line);
    this.process.stdin?.write(`${line}\n`);
    await told;
  }

  /** A key that another process, this one, adds to the service's file. */
  async createKey({
    plan = "enterprise",
    limits,
    expiresAt,
    ...options
  }: KeyOptions = {}): Promise<{ id: string; secret: string }> {
    const own = plan === "enterprise" ? (limits ?? { perMinute: 1_000_000, perDay: 1_000_000 }) : undefined;
    const request = { name: "test", plan, limits: own, scopes: options.scopes ?? [...scopes], expiresAt };
    const { key, secret } = await this.administration.create(request, this.#now);
    return { id: key.id, secret };
  }

  /** A client with a key of its own. */
  async withKey(options: KeyOptions = {}): Promise<Client> {
    return this.withSecret((await this.createKey(options)).secret);
  }

  withSecret(secret: string): Client {
    return new Client(this.url, { Authorization: `Bearer ${secret}` });
  }

  /** A client without a key. */
  anonymous(): Client {
    return new Client(this.url, {});
  }

  /** An operator that another process, this one, adds to the service's file, and a client with its token. */
  async withOperator(
    role: Role = "admin",
    name = "Ada",
  ): Promise<{ operator: Operator; token: string; client: Client }> {
    const administration = new OperatorAdministration(new SqlOperators(this.database), TESTER);
    const { operator, token } = await administration.create(name, role, this.#now);
    const client = Client.ofOperator(this.adminUrl, { Authorization: `Bearer ${token}` });
    return { operator, token, client };
  }

  /** Ends it as an operator would. Gives its exit code. */
  async stop(): Promise<number | null> {
    this.process.kill("SIGTERM");
    return this.#gone();
  }

  /** Ends it without any warning. */
  async kill(): Promise<void> {
    this.process.kill("SIGKILL");
    await this.#gone();
  }

  /** Ends it if it still runs, and removes its directory. */
  async remove(): Promise<void> {
    await this.kill();
    rmSync(this.directory, { recursive: true, force: true });
  }

  async #gone(): Promise<number | null> {
    if (this.process.exitCode === null && this.process.signalCode === null) await once(this.process, "exit");
    if (!this.#isClosed) this.database.close();
    this.#isClosed = true;
    return this.process.exitCode;
  }
}

/** Starts a service on the runtime under test, on an empty store unless `directory` has one. */
export async function startService({ env = {}, directory, now = START }: Options = {}): Promise<RunningService> {
  const place = directory ?? temporaryDirectory();
  const [program, ...args] = commandFor(PROGRAM);
  const child = spawn(program, args, {
    stdio: ["pipe", "pipe", "pipe"],
    env: {
      PATH: process.env.PATH,
      HOST: "127.0.0.1",
      PORT: "0",
      PETSTORE_ADMIN_PORT: "0",
      DATABASE_URL: `sqlite:${databasePathOf(place)}`,
      PETSTORE_BASE_URL: BASE_URL,
      PETSTORE_ADDRESS_LIMIT: "1000000",
      TEST_NOW: String(now),
      ...env,
    },
  });
  const output: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    if (stream !== null)
      createInterface({ input: stream }).on("line", (line) => output.push(line) && child.emit("printed", line));
  }
  const line = await waitFor({ process: child, output }, (printed) => printed.startsWith('{"listening":'));
  return new RunningService(child, JSON.parse(line), place, output, now);
}

type Printing = { process: ChildProcess; output: string[] };

/** The first line it prints from now on that is `wanted`. @throws when it ends before */
export function waitFor({ process: child, output }: Printing, wanted: (line: string) => boolean): Promise<string> {
  return new Promise((resolve, reject) => {
    const look = (line: string) => {
      if (!wanted(line)) return;
      child.off("printed", look).off("close", ended);
      resolve(line);
    };
    const ended = () => reject(new Error(`the service ended:\n${output.join("\n")}`));
    // "close" comes after everything it printed was read, "exit" may come before.
    child.on("printed", look).once("close", ended);
  });
}
