import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import type { Deployment } from "../../src/domain/deployment.ts";
import { scopes } from "../../src/domain/keys/key.ts";
import { Workplace } from "../commands/petstore.ts";
import { eventually } from "../support/eventually.ts";
import { freePort } from "../support/ports.ts";
import { commandFor, MAIN } from "../support/runtime.ts";
import { databasePathOf, sqliteIn } from "../support/store.ts";
import { temporaryDirectory } from "../support/temporary.ts";

const PROJECT = fileURLToPath(new URL("../..", import.meta.url));
const PETSTORE = commandFor(MAIN);

/** Where packages of our own are that programs import, for the compiler and for Bun: their sources. */
export const PACKAGES = {
  "@petstore/client": [join(PROJECT, "client/src/main.ts")],
  "@petstore/server/testing": [join(PROJECT, "src/testing.ts")],
};

/** The addresses that stand in the examples: the service's, and its operators'. */
export const addresses = {
  production: { shown: "http://127.0.0.1:8080", adminShown: "http://127.0.0.1:8081" },
  staging: { shown: "http://127.0.0.1:8090", adminShown: "http://127.0.0.1:8091" },
};

/** The deployment that the examples of a text call. Those of production may name the address of staging too. */
export function deploymentOf(text: string): Deployment {
  const { production, staging } = addresses;
  return text.includes(staging.shown) && !text.includes(production.shown) ? "staging" : "production";
}

/** Reads the variables of earlier scripts in the directory, and leaves those of this one. */
const KEPT_VARIABLES = "set -a; test ! -e variables || . ./variables; trap 'export -p > variables' EXIT";

export type Outcome = { status: number | null; stdout: string; stderr: string };

/** Somebody who does what a document says, in a directory of their own, beside a new service with the defaults. */
export class Reader {
  readonly directory = temporaryDirectory();
  readonly #deployment: Deployment;
  #service: ChildProcess | undefined;
  #url = "";
  #adminUrl = "";
  #key = { id: "", key: "" };
  /** The operator that is signed in with, and another one. */
  #admin = { token: "" };
  #other = { id: "" };
  #webhook = { id: "" };

  constructor(deployment: Deployment = "production") {
    this.#deployment = deployment;
  }

  /** Starts the service, and makes a key on the Business plan, two operators, and an endpoint of webhooks. */
  async begin(): Promise<void> {
    symlinkSync(join(PROJECT, "samples"), join(this.directory, "samples"));
    mkdirSync(join(this.directory, "backups"));
    const workplace = new Workplace({ store: sqliteIn(this.directory) });
    const env = { PETSTORE_DEPLOYMENT: this.#deployment };
    const create = async (...args: string[]) => (await workplace.run([...args, "--json"], { env })).json;
    this.#key = await create(
      "keys",
      "create",
      "--create",
      "--name",
      "reader",
      "--plan",
      "business",
      "--scopes",
      scopes.join(),
    );
    this.#admin = await create("operators", "create", "--name", "reader", "--role", "admin");
    this.#other = await create("operators", "create", "--name", "other", "--role", "viewer");
    const url = "https://shop.example.com/petstore";
    this.#webhook = (await create("webhooks", "create", url)).webhook;
    await this.start();
  }

  async start(): Promise<void> {
    const [port, adminPort] = await Promise.all([freePort(), freePort()]);
    const [program, ...args] = PETSTORE;
    this.#url = `http://127.0.0.1:${port}`;
    this.#adminUrl = `http://127.0.0.1:${adminPort}`;
    const env = {
      ...this.#env(),
      PORT: String(port),
      PETSTORE_ADMIN_PORT: String(adminPort),
      PETSTORE_LOG_LEVEL: "silent",
    };
    this.#service = spawn(program, [...args, "serve"], { cwd: this.directory, env, stdio: "ignore" });
    await eventually(async () => (await fetch(`${this.#url}/readyz`).catch(() => undefined))?.status === 200);
  }

  async stop(signal: NodeJS.Signals = "SIGTERM"): Promise<void> {
    const service = this.#service;
    if (service === undefined || service.exitCode !== null || service.signalCode !== null) return;
    const ended = once(service, "exit");
    service.kill(signal);
    await ended;
  }

  async end(): Promise<void> {
    await this.stop("SIGKILL");
    rmSync(this.directory, { recursive: true, force: true });
  }

  /** Runs a text in the shell, with the variables that earlier ones have set. It ends with the first command that fails. */
  shell(script: string): Promise<Outcome> {
    return this.#run("sh", ["-euc", `${KEPT_VARIABLES}\n${this.#concretely(script)}`]);
  }

  async #run(program: string, args: string[]): Promise<Outcome> {
    const child = spawn(program, args, {
      cwd: this.directory,
      env: this.#env(),
      stdio: ["ignore", "pipe", "pipe"],
      timeout: 60_000,
    });
    const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
    return { status: child.exitCode, stdout: stdout.replaceAll(this.#url, addresses[this.#deployment].shown), stderr };
  }

  #env(): Record<string, string | undefined> {
    return {
      PATH: process.env.PATH,
      DATABASE_URL: `sqlite:${databasePathOf(this.directory)}`,
      PETSTORE_DEPLOYMENT: this.#deployment,
      KEY: this.#key.key,
      TOKEN: this.#admin.token,
    };
  }

  /** An example with what its reader puts in the place of what stands for it. */
  #concretely(example: string): string {
    const { shown, adminShown } = addresses[this.#deployment];
    return example
      .replaceAll("npx --no petstore", PETSTORE.map((word) => `'${word}'`).join(" "))
      .replaceAll(shown, this.#url)
      .replaceAll(adminShown, this.#adminUrl)
      .replaceAll(/pets_(?:live|stag)_…/g, this.#key.key)
      .replaceAll("key_…", this.#key.id)
      .replaceAll("op_…", this.#other.id)
      .replaceAll("whe_…", this.#webhook.id)
      .replaceAll("/backups/", `${this.directory}/backups/`)
      .replaceAll("petstore-2026-12-02.db", `petstore-${new Date().toISOString().slice(0, 10)}.db`);
  }
}

/** Whether this machine has what the examples call. */
export const hasTools: boolean = ["curl", "jq"].every((tool) => spawnSync(tool, ["--version"]).status === 0);
