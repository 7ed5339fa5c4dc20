import { readFileSync } from "node:fs";
import type { z } from "zod";
import type { Backups } from "../../src/adapters/http/admin/operations/backups.ts";
import type { IssuedKey } from "../../src/adapters/http/admin/schemas.ts";
import { KeyAdministration } from "../../src/domain/keys/administration.ts";
import type { Limits, Plan } from "../../src/domain/limits/limits.ts";
import { OperatorAdministration } from "../../src/domain/operators.ts";
import { eventually } from "../support/eventually.ts";
import type { RunningService } from "../support/service.ts";
import { writeHistory } from "./history.ts";

/** The service's time in the screenshots: a Wednesday, the day after getPet was deprecated. */
export const NOW = Date.UTC(2026, 11, 2, 9, 41);

const DAY = 86_400_000;
const PETS = new URL("../../samples/pets.ndjson", import.meta.url);
const CATEGORIES = new URL("../../samples/categories.ndjson", import.meta.url);

type Customer = {
  name: string;
  plan: Plan;
  limits?: Limits;
  /** Of all requests of the last thirty days, from 0 to 1. */
  share: number;
  /** Requests in a burst. */
  burst: number;
  /** The User-Agent of calls to the deprecated operation. */
  userAgent?: string;
};

/** By the age of their keys, oldest first. */
const customers: Customer[] = [
  {
    name: "Happy Tails mobile app",
    plan: "enterprise",
    limits: { perMinute: 6_000, perDay: 2_000_000 },
    share: 0.41,
    burst: 40,
  },
  { name: "Northwind Pets", plan: "business", share: 0.2, burst: 860, userAgent: "northwind-sync/2.4 (java)" },
  { name: "Shelter Hamburg", plan: "free", share: 0.02, burst: 31 },
  { name: "Barkyard", plan: "pro", share: 0.03, burst: 118 },
  { name: "Aquaria Zürich", plan: "free", share: 0.04, burst: 0, userAgent: "python-requests/2.31" },
  { name: "Reptile House Lyon", plan: "free", share: 0.01, burst: 7 },
  { name: "Data team, nightly export", plan: "business", share: 0.12, burst: 12 },
  { name: "Kitten Cam", plan: "pro", share: 0.05, burst: 300, userAgent: "KittenCam/5.1 (iOS 19.1) CFNetwork/1490" },
  { name: "Pet Express", plan: "pro", share: 0.03, burst: 64 },
  { name: "Fur & Feathers", plan: "free", share: 0.01, burst: 52, userAgent: "okhttp/4.12.0" },
  { name: "Old website", plan: "pro", share: 0, burst: 0 },
  { name: "Paws & Whiskers", plan: "business", share: 0.08, burst: 210 },
];

/** What becomes of orders, oldest first: the statuses that an operator gives each one. */
const courses = [
  ["approved", "delivered"],
  ["cancelled"],
  ["approved", "delivered"],
  ["approved", "cancelled"],
  ["approved"],
  ["approved"],
  [],
  [],
  [],
];

/** A service with customers, pets, orders, thirty days of usage and live traffic: what the screenshots show. */
export class SampleShop {
  /** The token of an admin. */
  readonly token: string;
  readonly bannedKey: string;
  /** The id of a pet that was ordered, and of its order, which is approved. */
  readonly ordered: { pet: number; order: number };
  readonly #service: RunningService;
  readonly #secrets: Map<string, string>;

  private constructor(
    service: RunningService,
    token: string,
    bannedKey: string,
    ordered: { pet: number; order: number },
    secrets: Map<string, string>,
  ) {
    this.#service = service;
    this.token = token;
    this.bannedKey = bannedKey;
    this.ordered = ordered;
    this.#secrets = secrets;
  }

  /** Fills `service`, whose administration listener is at `adminUrl`. */
  static async create(service: RunningService, adminUrl: string): Promise<SampleShop> {
    const commandLine = { operator: { name: "command line (deploy)" } };
    const operators = new OperatorAdministration(service.stores.operators, commandLine);
    const { token } = await operators.create("Ines Calder", "admin", service.now);
    await operators.create("Tomasz Wiśniewski", "viewer", service.now + DAY);
    const { operator: former } = await operators.create("Old laptop", "admin", service.now - 90 * DAY);
    await operators.revoke(former.id, service.now + 2 * DAY);

    const call = async (method: string, path: string, body?: unknown, type = "application/json") => {
      const headers = { Authorization: `Bearer ${token}`, ...(body !== undefined && { "Content-Type": type }) };
      const init = { method, headers, body: typeof body === "string" ? body : (JSON.stringify(body) ?? null) };
      const response = await fetch(`${adminUrl}/admin/v1${path}`, init);
      if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
      return response;
    };
    const ids = new Map<string, string>();
    const secrets = new Map<string, string>();
    for (const { name, plan, limits } of customers) {
      await service.advance({ seconds: 2.9 * 86_400 });
      const created = await call("POST", "/keys", { name, plan, ...(limits && { limits }) });
      const issued = (await created.json()) as z.infer<typeof IssuedKey>;
      ids.set(name, issued.key.id);
      secrets.set(name, issued.secret);
    }
    const id = (name: string) => ids.get(name) ?? "";
    for (const line of readFileSync(CATEGORIES, "utf8").trim().split("\n")) {
      await call("PUT", `/categories/${JSON.parse(line).id}`, line);
    }
    // Machines without CJK fonts show boxes for these names.
    const pets = readFileSync(PETS, "utf8")
      .split("\n")
      .filter((line) => /^\P{Script=Han}*$/u.test(line));
    await (await call("POST", "/pets/import", pets.join("\n"), "application/x-ndjson")).text();
    await service.setClock(NOW - 2 * DAY);
    await call("POST", `/keys/${id("Old website")}/revoke`);
    await call("PATCH", `/keys/${id("Paws & Whiskers")}`, { expiresAt: new Date(NOW + 90 * DAY).toISOString() });
    await service.setClock(NOW - 20 * 3_600_000);
    const byCommand = new KeyAdministration(service.stores.keys, "production", commandLine);
    await byCommand.rotate(id("Pet Express"), DAY, service.now);
    await service.setClock(NOW - 2_400_000);
    await call("PATCH", `/keys/${id("Kitten Cam")}`, { plan: "business" });
    await call("PATCH", `/keys/${id("Kitten Cam")}`, { plan: "pro" });
    const listed = await call("GET", `/pets?status=available&limit=${courses.length}`);
    const { pets: available } = (await listed.json()) as { pets: { id: number }[] };
    const shopper = service.withSecret(secrets.get("Happy Tails mobile app") ?? "");
    let ordered = { pet: 0, order: 0 };
    for (const [i, course] of courses.entries()) {
      await service.setClock(NOW - 2_300_000 + i * 180_000);
      const pet = available[i]?.id ?? 0;
      const { body: order } = await shopper.post("/v1/store/orders", { petId: pet });
      for (const status of course) await call("PATCH", `/orders/${order.id}`, { status });
      if (course.at(-1) === "approved") ordered = { pet, order: order.id };
    }
    await call("PATCH", `/pets/${ordered.pet}`, { name: "Captain Whiskers" });
    await service.setClock(NOW - 600_000);
    await call("POST", "/backups");
    await eventually(async () => {
      const { job, backups } = (await (await call("GET", "/backups")).json()) as z.infer<typeof Backups>;
      return job === null && backups.length > 0;
    });

    await writeHistory(
      service.stores.usage,
      NOW - 60_000,
      900,
      customers.map(({ name, plan, share }) => ({ keyId: id(name), plan, share })),
    );
    const shop = new SampleShop(service, token, id("Aquaria Zürich"), ordered, secrets);
    await shop.#sendPastRequests();
    return shop;
  }

  /** Makes the requests of the last minutes: some keys near their daily limit, calls to getPet, and one key banned. */
  async #sendPastRequests(): Promise<void> {
    for (let minutes = 6; minutes > 1; minutes--) {
      await this.#service.setClock(NOW - minutes * 61_000);
      await this.sendBursts();
    }
    for (const [i, { name }] of customers.filter(({ userAgent }) => userAgent !== undefined).entries()) {
      for (let n = 0; n < 47 - 13 * i; n++) await this.#request(name, "/pets/1");
    }
    await this.#service.setClock(NOW - 30_000);
    await this.#list("Aquaria Zürich", 61);
    await this.#service.advance({ seconds: 3 });
    await this.#list("Aquaria Zürich", 100);
    await this.#service.setClock(NOW);
  }

  /** Sends the burst of each customer. */
  async sendBursts(): Promise<void> {
    for (const { name, burst } of customers) await this.#list(name, burst);
  }

  async #list(name: string, times: number): Promise<void> {
    const headers = { Authorization: `Bearer ${this.#secrets.get(name)}` };
    for (let left = times; left > 0; left -= 20) {
      const requests = Array.from({ length: Math.min(20, left) }, () =>
        fetch(`${this.#service.url}/v1/pets`, { headers }),
      );
      await Promise.all((await Promise.all(requests)).map((response) => response.text()));
    }
  }

  /** Sends requests, and advances the service's clock with the real one, until it is stopped. */
  startTraffic(): { stop(): Promise<void> } {
    let isRunning = true;
    const started = performance.now();
    const finished = (async () => {
      for (let turn = 0; isRunning; turn++) {
        const seconds = (performance.now() - started) / 1000;
        await this.#service.setClock(NOW + Math.round(seconds * 1000));
        await this.#list(
          "Happy Tails mobile app",
          Math.round(22 + 9 * Math.sin(seconds / 7) + 4 * Math.sin(seconds / 2.3)),
        );
        if (turn % 3 === 0) await this.#list("Aquaria Zürich", Math.round(3 + 2 * Math.sin(seconds / 5)));
        if (turn % 4 === 0) await this.#request("Barkyard", "/pets?limit=0");
        if (turn % 2 === 0) await this.#request("Northwind Pets", "/pets/1");
        if (turn % 9 === 0) await this.#request("Paws & Whiskers", "/usage");
        for (let n = 0; n < 4; n++)
          await this.#request("Happy Tails mobile app", "/pets", '{"name":"Luna","categoryId":3}');
        await new Promise((resolve) => setTimeout(resolve, 250));
      }
    })();
    return {
      async stop() {
        isRunning = false;
        await finished;
      },
    };
  }

  async #request(name: string, path: string, body?: string): Promise<void> {
    const userAgent = customers.find((customer) => customer.name === name)?.userAgent ?? "curl/8.14.1";
    const headers = {
      Authorization: `Bearer ${this.#secrets.get(name)}`,
      "Content-Type": "application/json",
      "User-Agent": userAgent,
    };
    const init = body === undefined ? { headers } : { method: "POST", headers, body };
    await (await fetch(`${this.#service.url}/v1${path}`, init)).text();
  }
}
