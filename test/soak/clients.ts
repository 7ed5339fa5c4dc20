import { setTimeout as pause } from "node:timers/promises";
import { bearer } from "../support/client.ts";

/** The secrets of a store: of a key with high limits, of one with 60 requests per minute, and an operator's token. */
export type Secrets = { key: string; limitedKey: string; token: string };
export type Target = Secrets & { url: string; adminUrl: string };

/** In ms. */
const PAUSE = 20;
const PAUSE_OF_LIMITED = 100;
const PAUSE_OF_OPERATOR = 1_000;
const OPERATOR_ROUNDS_PER_TRANSFER = 30;

/** Clients and an operator of one service, who use everything until `stop`. */
export class Clients {
  /** Durations of requests of clients since the last call of `drain`, in ms. */
  #durations: number[] = [];
  /** How often each status was the answer, and what happened that may not happen. */
  readonly statuses = new Map<number, number>();
  readonly failures: string[] = [];
  readonly #target: Target;
  readonly #all: Promise<void>[];
  #isOver = false;

  constructor(target: Target, count: number) {
    this.#target = target;
    this.#all = [
      ...Array.from({ length: count }, (_, i) => this.#repeat(PAUSE, (round) => this.#useEverything(i, round))),
      this.#repeat(PAUSE_OF_LIMITED, () => this.#expect([200, 429], "/v1/pets", target.limitedKey)),
      this.#repeat(PAUSE_OF_OPERATOR, (round) => this.#operate(round)),
    ];
  }

  drain(): number[] {
    const durations = this.#durations;
    this.#durations = [];
    return durations;
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#all);
  }

  async #repeat(milliseconds: number, work: (round: number) => Promise<unknown>): Promise<void> {
    for (let round = 0; !this.#isOver; round++) {
      await work(round).catch((error) => this.failures.push(String(error)));
      await pause(milliseconds);
    }
  }

  /** A request of each kind in turn, most of them lists. */
  async #useEverything(worker: number, round: number): Promise<void> {
    const { key } = this.#target;
    const pet = JSON.stringify({ name: `Pet ${worker}.${round}`, categoryId: round });
    const post = { method: "POST", body: pet };
    const idempotent = { ...post, headers: { "Idempotency-Key": `soak ${worker}.${round}` } };
    const kinds = [
      () => this.#timed([201], "/v1/pets", key, post),
      () => this.#timed([200, 404], `/v1/pets/${1 + (round % 1_000)}`, key),
      () => this.#timed([201], "/v1/pets", key, idempotent).then(() => this.#timed([201], "/v1/pets", key, idempotent)),
      () => this.#timed([200, 429], "/v1/usage", key),
      () => this.#timed([400], "/v1/pets?limit=0", key),
      () => this.#timed([400], "/v1/pets", key, { ...post, body: "{" }),
      () => this.#timed([401], "/v1/pets", "pets_live_wrong"),
      () => this.#timed([200], "/v1/pets", key, { headers: { Connection: "close" } }),
    ];
    const list = () => this.#timed([200], `/v1/pets?limit=20&after=${(round * 37) % 500}`, key);
    await (round % 2 === 0 ? list() : kinds[Math.floor(round / 2) % kinds.length]?.());
  }

  async #operate(round: number): Promise<void> {
    for (const path of ["overview", "keys", "audit", "state", "deprecations", "usage"]) await this.#asOperator(path);
    const created = await this.#asOperator("keys", 201, { name: "soak", plan: "free", scopes: ["pets:read"] });
    const { id } = JSON.parse(created).key;
    await this.#asOperator(`keys/${id}/rotate`, 200, { graceSeconds: 60 });
    await this.#asOperator(`keys/${id}/revoke`, 200, {});
    if (round % OPERATOR_ROUNDS_PER_TRANSFER !== 0) return;
    const line = '{"name":"Imported","categoryId":1}\n';
    await this.#asOperator("pets/import", 200, line.repeat(100));
    await this.#asOperator("pets/export");
  }

  /** Returns the body. */
  #asOperator(path: string, status = 200, body?: object | string): Promise<string> {
    const { adminUrl, token } = this.#target;
    const type = typeof body === "string" ? "application/x-ndjson" : "application/json";
    const sent = typeof body === "string" ? body : JSON.stringify(body);
    const post = { method: "POST", body: sent, headers: { "Content-Type": type } };
    return this.#expect([status], `/admin/v1/${path}`, token, body === undefined ? {} : post, adminUrl);
  }

  async #timed(statuses: number[], path: string, secret: string, init: RequestInit = {}): Promise<void> {
    const began = performance.now();
    await this.#expect(statuses, path, secret, init);
    this.#durations.push(performance.now() - began);
  }

  /** Returns the body. @throws when another status is the answer */
  async #expect(
    statuses: number[],
    path: string,
    secret: string,
    init: RequestInit = {},
    url = this.#target.url,
  ): Promise<string> {
    const headers = { "Content-Type": "application/json", ...bearer(secret), ...init.headers };
    const response = await fetch(url + path, { ...init, headers });
    const text = await response.text();
    this.statuses.set(response.status, (this.statuses.get(response.status) ?? 0) + 1);
    if (!statuses.includes(response.status)) throw new Error(`${path} answered ${response.status}: ${text}`);
    return text;
  }
}
