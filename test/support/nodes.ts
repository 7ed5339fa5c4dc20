import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { Database } from "../../src/adapters/postgres/database.ts";
import { PostgresKeys } from "../../src/adapters/postgres/keys.ts";
import { sqlOperators } from "../../src/adapters/sql/operators.ts";
import { KeyAdministration, type NewKey } from "../../src/domain/keys/administration.ts";
import { defaultScopes } from "../../src/domain/keys/key.ts";
import type { KeyStore } from "../../src/domain/keys/store.ts";
import type { Limits } from "../../src/domain/limits/limits.ts";
import { OperatorAdministration, type Role } from "../../src/domain/operators.ts";
import { TESTER } from "./author.ts";
import { bearer, Client } from "./client.ts";
import { freePort } from "./ports.ts";
import { type Postgres, startPostgres } from "./postgres.ts";
import { type RedisServer, startRedis } from "./redis.ts";
import { commandFor, MAIN } from "./runtime.ts";

/** A node: the service as `petstore serve` runs it, with the real clock. */
export class Node {
  readonly url: string;
  readonly port: number;
  /** The lines of its log so far. */
  readonly log: Record<string, unknown>[] = [];
  readonly #env: Record<string, string>;
  readonly #program: string;
  #process: ChildProcess | undefined;

  /** `program`: the file that runs instead of the `petstore` command. */
  constructor(port: number, env: Record<string, string>, program = MAIN) {
    this.port = port;
    this.url = `http://127.0.0.1:${port}`;
    this.#env = env;
    this.#program = program;
  }

  async start(): Promise<void> {
    const [program, ...args] = commandFor(this.#program);
    const env = {
      PATH: process.env.PATH,
      PORT: String(this.port),
      PETSTORE_ADMIN_PORT: "0",
      PETSTORE_ADDRESS_LIMIT: "1000000",
      ...this.#env,
    };
    const child = spawn(program, [...args, "serve"], { env, stdio: ["ignore", "pipe", "pipe"] });
    this.#process = child;
    // Output outside the log is the first key, or why it ended.
    let said = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      said = (said + text).slice(-4_000);
    });
    child.once("exit", (_code, signal) => {
      if (signal === null && child.exitCode !== 0) console.error(`a node ended by itself:\n${said}`);
    });
    await new Promise<void>((resolve, reject) => {
      createInterface({ input: child.stdout }).on("line", (text) => {
        const line = JSON.parse(text);
        this.log.push(line);
        if (line.msg === "listening") resolve();
      });
      child.once("exit", () => reject(new Error(`the node ended: ${said}`)));
    });
  }

  /** Stops it as an operator does. Returns its exit code. */
  stop(): Promise<number | null> {
    return this.#end("SIGTERM");
  }

  async kill(): Promise<void> {
    await this.#end("SIGKILL");
  }

  /** Lets it hang, while the system still accepts connections for it. */
  freeze(): void {
    this.#process?.kill("SIGSTOP");
  }

  thaw(): void {
    this.#process?.kill("SIGCONT");
  }

  /** Its process; none if it does not run. */
  get pids(): number[] {
    return this.#process?.pid === undefined ? [] : [this.#process.pid];
  }

  /** The URL of its administration listener. */
  get adminUrl(): string {
    const listening = this.log.findLast(({ msg }) => msg === "listening");
    return `http://127.0.0.1:${listening?.adminPort}`;
  }

  /** The number of log entries with this message. */
  said(message: string): number {
    return this.log.filter(({ msg }) => String(msg).includes(message)).length;
  }

  async #end(signal: NodeJS.Signals): Promise<number | null> {
    const child = this.#process;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return child?.exitCode ?? null;
    const ended = once(child, "exit");
    child.kill(signal);
    await ended;
    return child.exitCode;
  }
}

/** Nodes that share a real PostgreSQL and a real Redis server. */
export class Nodes {
  readonly postgres: Postgres;
  readonly redis: RedisServer;
  readonly nodes: Node[];
  readonly #database: Database;
  readonly administration: KeyAdministration;

  constructor(postgres: Postgres, redis: RedisServer, nodes: Node[]) {
    this.postgres = postgres;
    this.redis = redis;
    this.nodes = nodes;
    this.#database = new Database(postgres.url, 2, () => {});
    this.administration = new KeyAdministration(new PostgresKeys(this.#database), "production", TESTER);
  }

  /** The node with this number. */
  node(number: number): Node {
    const node = this.nodes[number];
    if (node === undefined) throw new Error(`there is no node ${number}`);
    return node;
  }

  /** The processes of the nodes. */
  get pids(): number[] {
    return this.nodes.flatMap(({ pids }) => pids);
  }

  /** An Enterprise key. */
  createKey(limits?: Limits): Promise<{ id: string; secret: string }> {
    return createKeyWith(this.administration, limits);
  }

  /** An operator's token, and a client per node with it. */
  async withOperator(role: Role = "admin"): Promise<{ id: string; token: string; clients: Client[] }> {
    const administration = new OperatorAdministration(sqlOperators(this.#database), TESTER);
    const { operator, token } = await administration.create("Ada", role, Date.now());
    const clients = this.nodes.map(({ adminUrl }) => Client.ofOperator({ url: adminUrl, headers: bearer(token) }));
    return { id: operator.id, token, clients };
  }

  /** A client per node with this key. */
  clients(secret: string): Client[] {
    return this.nodes.map(({ url }) => new Client({ url, headers: bearer(secret) }));
  }

  async remove(): Promise<void> {
    await Promise.all(this.nodes.map((node) => node.kill()));
    await this.#database.close();
    await Promise.all([this.postgres.remove(), this.redis.remove()]);
  }
}

type Options = {
  count: number;
  /** The URLs of the servers for the nodes, by default the servers' own. */
  urls?: (postgres: Postgres, redis: RedisServer) => Promise<Record<string, string>> | Record<string, string>;
  env?: Record<string, string>;
  postgres?: Record<string, string>;
  program?: string | undefined;
};

/** Starts PostgreSQL and Redis, and then `count` nodes at once. */
export async function startNodes({ count, urls, env = {}, postgres: settings = {}, program }: Options): Promise<Nodes> {
  const [postgres, redis] = await Promise.all([startPostgres({ settings }), startRedis()]);
  const own = { DATABASE_URL: postgres.url, REDIS_URL: redis.url, ...(await urls?.(postgres, redis)) };
  const all = { ...own, PETSTORE_NODES: String(count), ...env };
  const ports = await Promise.all(Array.from({ length: count }, freePort));
  const nodes = ports.map((port) => new Node(port, all, program));
  await Promise.all(nodes.map((node) => node.start()));
  return new Nodes(postgres, redis, nodes);
}

/** Creates an Enterprise key in a PostgreSQL database that a node has migrated. */
export async function createKeyOn(url: string): Promise<{ id: string; secret: string }> {
  const database = new Database(url, 1, () => {});
  try {
    return await createKeyIn(new PostgresKeys(database));
  } finally {
    await database.close();
  }
}

/** Creates an Enterprise key in a store. */
export function createKeyIn(keys: KeyStore, limits?: Limits): Promise<{ id: string; secret: string }> {
  return createKeyWith(new KeyAdministration(keys, "production", TESTER), limits);
}

async function createKeyWith(
  administration: KeyAdministration,
  limits: Limits = { perMinute: 1_000_000, perDay: 10_000_000 },
): Promise<{ id: string; secret: string }> {
  const request: NewKey = { name: "test", plan: "enterprise", limits, scopes: [...defaultScopes] };
  const { key, secret } = await administration.create(request, Date.now());
  return { id: key.id, secret };
}
