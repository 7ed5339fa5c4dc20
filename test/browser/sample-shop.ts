import { readFileSync } from "node:fs";
import type { z } from "zod";
import type { IssuedKey } from "../../src/adapters/http/admin/schemas.ts";
import { SqlOperators } from "../../src/adapters/sql/operators.ts";
import { SqliteKeys } from "../../src/adapters/sqlite/keys.ts";
import { KeyAdministration } from "../../src/domain/keys/administration.ts";
import type { Limits, Plan } from "../../src/domain/limits/plans.ts";
import { OperatorAdministration } from "../../src/domain/operators/administration.ts";
import type { RunningService } from "../support/service.ts";
import { keepHistory } from "./history.ts";

/** When the pictures are taken, whenever they are: on a Wednesday, the day after getPet was deprecated. */
export const NOW = Date.UTC(2026, 11, 2, 9, 41);

const DAY = 86_400_000;
const PETS = new URL("../../samples/pets.ndjson", import.meta.url);

type Customer = {
  name: string;
  plan: Plan;
  limits?: Limits;
  /** How much of everybody's use is theirs. */
  part: number;
  /** Requests in the minute before the pictures, and what they say they are. */
  calls: number;
  agent?: string;
};

/** In the order in which they came. */
const customers: Customer[] = [
  {
    name: "Happy Tails mobile app",
    plan: "enterprise",
    limits: { perMinute: 6_000, perDay: 2_000_000 },
    part: 0.41,
    calls: 40,
  },
  { name: "Northwind Pets", plan: "business", part: 0.2, calls: 860, agent: "northwind-sync/2.4 (java)" },
  { name: "Shelter Hamburg", plan: "free", part: 0.02, calls: 31 },
  { name: "Barkyard", plan: "pro", part: 0.03, calls: 118 },
  { name: "Aquaria Zürich", plan: "free", part: 0.04, calls: 0, agent: "python-requests/2.31" },
  { name: "Reptile House Lyon", plan: "free", part: 0.01, calls: 7 },
  { name: "Data team, nightly export", plan: "business", part: 0.12, calls: 12 },
  { name: "Kitten Cam", plan: "pro", part: 0.05, calls: 300, agent: "KittenCam/5.1 (iOS 19.1) CFNetwork/1490" },
  { name: "Pet Express", plan: "pro", part: 0.03, calls: 64 },
  { name: "Fur & Feathers", plan: "free", part: 0.01, calls: 52, agent: "okhttp/4.12.0" },
  { name: "Old website", plan: "pro", part: 0, calls: 0 },
  { name: "Paws & Whiskers", plan: "business", part: 0.08, calls: 210 },
];

/** A service with customers, pets, a past, and requests coming in: what the pictures show. */
export class SampleShop {
  /** An operator's who may do everything. */
  readonly token: string;
  readonly bannedKey: string;
  readonly #service: RunningService;
  readonly #secrets: Map<string, string>;

  private constructor(service: RunningService, token: string, bannedKey: string, secrets: Map<string, string>) {
    this.#service = service;
    this.token = token;
    this.bannedKey = bannedKey;
    this.#secrets = secrets;
  }

  /** `admin`: where the service listens to operators. */
  static async open(service: RunningService, admin: string): Promise<SampleShop> {
    const commandLine = { operator: { name: "command line (deploy)" } };
    const operators = new OperatorAdministration(new SqlOperators(service.database), commandLine);
    const { token } = await operators.create("Ines Calder", "admin", service.now);
    await operators.create("Tomasz Wiśniewski", "viewer", service.now + DAY);
    const { operator: old } = await operators.create("Old laptop", "admin", service.now - 90 * DAY);
    await operators.revoke(old.id, service.now + 2 * DAY);

    const ask = async (method: string, path: string, body?: unknown, type = "application/json") => {
      const headers = { Authorization: `Bearer ${token}`, ...(body !== undefined && { "Content-Type": type }) };
      const init = { method, headers, body: typeof body === "string" ? body : (JSON.stringify(body) ?? null) };
      const response = await fetch(`${admin}/admin/v1${path}`, init);
      if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
      return response;
    };
    const ids = new Map<string, string>();
    const secrets = new Map<string, string>();
    for (const { name, plan, limits } of customers) {
      await service.advance({ seconds: 2.9 * 86_400 });
      const answer = await ask("POST", "/keys", { name, plan, ...(limits && { limits }) });
      const made = (await answer.json()) as z.infer<typeof IssuedKey>;
      ids.set(name, made.key.id);
      secrets.set(name, made.secret);
    }
    const id = (name: string) => ids.get(name) ?? "";
    // Few machines have fonts for all the names.
    const pets = readFileSync(PETS, "utf8")
      .split("\n")
      .filter((line) => /^\P{Script=Han}*$/u.test(line));
    await (await ask("POST", "/pets/import", pets.join("\n"), "application/x-ndjson")).text();
    await service.setClock(NOW - 2 * DAY);
    await ask("POST", `/keys/${id("Old website")}/revoke`);
    await ask("PATCH", `/keys/${id("Paws & Whiskers")}`, { expiresAt: new Date(NOW + 90 * DAY).toISOString() });
    await service.setClock(NOW - 20 * 3_600_000);
    const byCommand = new KeyAdministration(new SqliteKeys(service.database), "production", commandLine);
    await byCommand.rotate(id("Pet Express"), DAY, service.now);
    await service.setClock(NOW - 2_400_000);
    await ask("PATCH", `/keys/${id("Kitten Cam")}`, { plan: "business" });
    await ask("PATCH", `/keys/${id("Kitten Cam")}`, { plan: "pro" });
    await service.setClock(NOW - 600_000);

    await keepHistory(
      service.database,
      NOW - 60_000,
      900,
      customers.map(({ name, part }) => ({ keyId: id(name), part })),
    );
    const shop = new SampleShop(service, token, id("Aquaria Zürich"), secrets);
    await shop.#callBefore();
    return shop;
  }

  /** What was called before: some have used much of their day, one did not stop when it was refused. */
  async #callBefore(): Promise<void> {
    for (let minutes = 6; minutes > 1; minutes--) {
      await this.#service.setClock(NOW - minutes * 61_000);
      await this.rush();
    }
    for (const [i, { name }] of customers.filter(({ agent }) => agent !== undefined).entries()) {
      for (let n = 0; n < 47 - 13 * i; n++) await this.#ask(name, "/pets/1");
    }
    await this.#service.setClock(NOW - 30_000);
    await this.#call("Aquaria Zürich", 61);
    await this.#service.advance({ seconds: 3 });
    await this.#call("Aquaria Zürich", 100);
    await this.#service.setClock(NOW);
  }

  /** A minute's calls, all at once. */
  async rush(): Promise<void> {
    for (const { name, calls } of customers) await this.#call(name, calls);
  }

  async #call(name: string, times: number): Promise<void> {
    const headers = { Authorization: `Bearer ${this.#secrets.get(name)}` };
    for (let left = times; left > 0; left -= 20) {
      const calls = Array.from({ length: Math.min(20, left) }, () =>
        fetch(`${this.#service.url}/v1/pets`, { headers }),
      );
      await Promise.all((await Promise.all(calls)).map((response) => response.text()));
    }
  }

  /** Lets requests come in, and the service's clock go with the real one, until it is stopped. */
  openDoors(): { stop(): Promise<void> } {
    let isOpen = true;
    const began = performance.now();
    const busy = (async () => {
      for (let turn = 0; isOpen; turn++) {
        const seconds = (performance.now() - began) / 1000;
        await this.#service.setClock(NOW + Math.round(seconds * 1000));
        await this.#call(
          "Happy Tails mobile app",
          Math.round(22 + 9 * Math.sin(seconds / 7) + 4 * Math.sin(seconds / 2.3)),
        );
        if (turn % 3 === 0) await this.#call("Aquaria Zürich", Math.round(3 + 2 * Math.sin(seconds / 5)));
        if (turn % 4 === 0) await this.#ask("Barkyard", "/pets?limit=0");
        if (turn % 2 === 0) await this.#ask("Northwind Pets", "/pets/1");
        if (turn % 9 === 0) await this.#ask("Paws & Whiskers", "/usage");
        for (let n = 0; n < 4; n++)
          await this.#ask("Happy Tails mobile app", "/pets", '{"name":"Luna","categoryId":3}');
        await new Promise((resolve) => setTimeout(resolve, 250));
      }
    })();
    return {
      async stop() {
        isOpen = false;
        await busy;
      },
    };
  }

  async #ask(name: string, path: string, body?: string): Promise<void> {
    const agent = customers.find((customer) => customer.name === name)?.agent ?? "curl/8.14.1";
    const headers = {
      Authorization: `Bearer ${this.#secrets.get(name)}`,
      "Content-Type": "application/json",
      "User-Agent": agent,
    };
    const init = body === undefined ? { headers } : { method: "POST", headers, body };
    await (await fetch(`${this.#service.url}/v1${path}`, init)).text();
  }
}
