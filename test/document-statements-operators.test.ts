/** As document-statements.test.ts, of the pages and the OpenAPI document for operators. */
import { describe, expect, test } from "bun:test";
import { readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Client } from "./support/client.ts";
import { eventually } from "./support/eventually.ts";
import { pageInOneLine, says, states } from "./support/markdown.ts";
import { metricsAt } from "./support/metrics.ts";
import { PET, textOf } from "./support/statements.ts";
import { useOperator, useService } from "./support/use-service.ts";

const service = useService();

type OperatorStatement = [text: string, what: string, observe: (operator: Client) => Promise<string>];
const KEY = { name: "Shop", plan: "pro" };

const forOperators: OperatorStatement[] = [
  [
    "/admin/openapi.json",
    "a change of a key",
    async (operator) => {
      const owner = { name: "Ada", email: "ada@example.org" };
      const { body } = await operator.post("/admin/v1/keys", { ...KEY, owner, scopes: ["pets:read"] });
      const path = `/admin/v1/keys/${body.key.id}`;
      await service.withSecret(body.secret).get("/v1/pets");
      const changed = (await operator.patch(path, { owner: { name: "Ada" }, plan: "business" })).body;
      const found = (await operator.get(path)).body;
      const whole = changed.owner.email ? "in part" : "as a whole";
      return `\`owner\`, \`limits\` and \`scopes\` are replaced ${whole}. What the key has used of its limits ${found.usage.minute.used === 1 ? "stays" : "is forgotten"}.`;
    },
  ],
  [
    "docs/administration.md",
    "fields of a key that are null or left out",
    async (operator) => {
      const given = { ...KEY, owner: { name: "Ada" }, note: "4711", expiresAt: "2030-01-01T00:00:00Z" };
      const { key } = (await operator.post("/admin/v1/keys", given)).body;
      const path = `/admin/v1/keys/${key.id}`;
      const kept = (await operator.patch(path, { name: "Till" })).body;
      const cleared = (await operator.patch(path, { owner: null, note: null, expiresAt: null })).body;
      const removed = [cleared.owner, cleared.note, cleared.expiresAt].every((one) => one === null);
      return `fields that you leave out ${kept.note === "4711" ? "stay as they are" : "are removed"}, null ${removed ? "removes" : "keeps"} \`owner\`, \`note\` or \`expiresAt\`.`;
    },
  ],
  [
    "docs/administration.md",
    "owners of keys",
    async (operator) => {
      const of = (name: string, email?: string) => operator.post("/admin/v1/keys", { ...KEY, owner: { name, email } });
      await of("Grace", "grace@example.org");
      await of("Grace H.", "GRACE@example.org");
      await of("Grace");
      const found = async (owner: string) => (await operator.get(`/admin/v1/keys?owner=${owner}`)).body.total;
      expect([await found("grace@example.org"), await found("Grace")]).toEqual([2, 2]);
      return "Keys with one address belong to one owner, even if their names differ, in any case.";
    },
  ],
  [
    "/admin/openapi.json",
    "keys by their owner",
    async (operator) => {
      const { keys } = (await operator.get("/admin/v1/keys?sort=owner")).body;
      return `or by owner, those without one ${keys.at(-1).owner === null ? "last" : "first"}, and for each`;
    },
  ],
  [
    "/admin/openapi.json",
    "the end of a session by a token",
    async (operator) => {
      const { status } = await operator.delete("/admin/v1/session");
      const after = await operator.get("/admin/v1/session");
      expect(status).toBe(204);
      return `Ends the session and clears its cookie. A request with a token ${after.status === 200 ? "changes nothing" : "ends it"}.`;
    },
  ],
  [
    "/admin/openapi.json",
    "the size of the database",
    async (operator) => {
      if (service.store.engine !== "sqlite") return "The disk of the SQLite file; null on PostgreSQL";
      const sizes = () =>
        readdirSync(service.store.directory)
          .filter((name) => name.endsWith(".db"))
          .map((name) => statSync(join(service.store.directory, name)).size);
      const [size = 0] = sizes();
      const { body } = await operator.get("/admin/v1/settings");
      const log = body.database.bytes > size ? "with" : "without";
      expect(body.disk.freeBytes).toBeLessThan(body.disk.bytes);
      return `Its size, ${log} the write-ahead log of a SQLite file|The disk of the SQLite file; null on PostgreSQL`;
    },
  ],
  [
    "/admin/openapi.json",
    "a webhook endpoint that is changed",
    async (operator) => {
      const { webhook } = (await operator.post("/admin/v1/webhooks", { url: "https://a.invalid", description: "A" }))
        .body;
      const changed = (await operator.patch(`/admin/v1/webhooks/${webhook.id}`, { url: "https://b.invalid" })).body;
      return `Changes the URL, the types and the description; what is left out ${changed.description === "A" ? "stays" : "is removed"}. Its position ${changed.position === webhook.position ? "stays, too" : "changes"}.`;
    },
  ],
  [
    "/admin/openapi.json",
    "what a viewer may not do",
    async () => {
      const { client: viewer } = await service.withOperator("viewer");
      const statuses = await Promise.all(
        ["/operators", "/backups", "/settings", "/audit", "/webhooks"].map(
          async (path) => (await viewer.get(`/admin/v1${path}`)).status,
        ),
      );
      expect(statuses).toEqual([403, 403, 200, 200, 200]);
      return "can read everything except operators and backups; changes need the role admin.";
    },
  ],
  [
    "/admin/openapi.json",
    "where a webhook endpoint begins, and a redelivery to one",
    async (operator) => {
      await operator.post("/admin/v1/pets", PET);
      const [newest] = (await operator.get("/admin/v1/events")).body.events;
      const { webhook } = (await operator.post("/admin/v1/webhooks", { url: "https://a.invalid" })).body;
      const position = webhook.position === newest.id ? "the last one" : "the first one";
      await operator.post(`/admin/v1/webhooks/${webhook.id}/disable`, {});
      const { body } = await operator.post(`/admin/v1/webhooks/${webhook.id}/redeliver`, { eventId: newest.id });
      const atOnce = body?.delivery?.attempt === undefined && body?.attempt === undefined ? "later" : "at once";
      states("docs/webhooks.md", `Redeliver it: it is sent ${atOnce}, outside the order.`);
      return `0 is before the oldest. Without it ${position}.|With \`eventId\` sends that event ${atOnce}, and returns what became of it.`;
    },
  ],
  [
    "docs/backups.md",
    "a backup that fails",
    async (operator) => {
      if (service.store.engine !== "sqlite") return "A backup that fails is tried again";
      // The directory of backups cannot be made.
      writeFileSync(join(service.store.directory, "backups"), "");
      await operator.post("/admin/v1/backups", {});
      await eventually(async () => (await operator.get("/admin/v1/backups")).body.failure !== null);
      const { status } = await fetch(`${service.url}/readyz`);
      rmSync(join(service.store.directory, "backups"));
      return `and the console shows it. The service ${status === 200 ? "stays" : "is not"} ready.`;
    },
  ],
  [
    "docs/limits.md",
    "another plan",
    async (operator) => {
      const { key, secret } = (await operator.post("/admin/v1/keys", KEY)).body;
      const client = service.withSecret(secret);
      await client.get("/v1/pets");
      await operator.patch(`/admin/v1/keys/${key.id}`, { plan: "business" });
      await service.forgetKeys();
      const { headers } = await client.get("/v1/pets");
      const used = Number(headers.get("X-RateLimit-Limit")) - Number(headers.get("X-RateLimit-Remaining"));
      const limit = headers.get("X-RateLimit-Limit") === "1000" ? "at once" : "later";
      return `A new plan applies ${limit} and ${used === 2 ? "keeps" : "resets"} the counts.`;
    },
  ],
  [
    "docs/data.md",
    "keys that are disabled, and revoked",
    async (operator) => {
      const { key } = (await operator.post("/admin/v1/keys", KEY)).body;
      const path = `/admin/v1/keys/${key.id}`;
      await operator.patch(path, { disabled: true });
      const enabled = (await operator.patch(path, { disabled: false })).status === 200;
      await operator.post(`${path}/revoke`, {});
      const revived = (await operator.patch(path, { disabled: false })).status === 200;
      return `Disabling is for a while and ${enabled ? "can" : "cannot"} be undone: the key is refused as \`disabled_api_key\`. Revoking is ${revived ? "for a while" : "for good"}.`;
    },
  ],
  [
    "/admin/openapi.json",
    "an import of lines with an id",
    async (operator) => {
      const line = JSON.stringify({ id: 4_711_000, name: "Rex", categoryId: 1 });
      const send = async (query: string) =>
        (
          await operator.request(`/admin/v1/pets/import${query}`, {
            method: "POST",
            body: `${line}\n`,
            headers: { "Content-Type": "application/x-ndjson" },
          })
        ).text;
      const [added, replaced] = [await send(""), await send("?replace=true")].map((text) =>
        JSON.parse(text.trim().split("\n").at(-1) ?? ""),
      );
      expect([replaced.imported, replaced.rejected]).toEqual([0, 1]);
      return `\`true\` changes the pet whose id a line has; otherwise ids are ${added.imported === 1 ? "ignored, and every line adds a pet" : "refused"}.`;
    },
  ],
  [
    "docs/administration.md",
    "the only admin",
    async (operator) => {
      const { operators } = (await operator.get("/admin/v1/operators")).body;
      const admins = operators.filter(
        ({ role, revokedAt }: { role: string; revokedAt: string | null }) => role === "admin" && !revokedAt,
      );
      const { operator: self } = (await operator.get("/admin/v1/session")).body;
      for (const { id } of admins) if (id !== self.id) await operator.post(`/admin/v1/operators/${id}/revoke`, {});
      const { status, body } = await operator.post(`/admin/v1/operators/${self.id}/revoke`, {});
      return `The only admin ${status === 409 ? "cannot" : "can"} be revoked: create another one first.|${status} | \`${body.code}\``;
    },
  ],
  [
    "docs/webhooks.md",
    "an endpoint of alerts, and one that goes on",
    async (operator) => {
      const { webhook } = (await operator.post("/admin/v1/webhooks", { url: "https://a.invalid" })).body;
      const path = `/admin/v1/webhooks/${webhook.id}`;
      const { status } = await operator.patch(path, { types: ["alert.disk_full"] });
      await operator.post(`${path}/disable`, {});
      const { position } = (await operator.post(`${path}/enable`, {})).body;
      return `An endpoint ${status === 400 ? "stays with" : "may change"} what it gets, events or alerts.|When you enable it, it goes on ${position === webhook.position ? "with" : "after"} the event that failed`;
    },
  ],
  [
    "docs/monitoring.md",
    "an alert that is acknowledged",
    async (operator) => {
      if (service.store.engine !== "sqlite") return "Acknowledge an alert to show others that you have seen it.";
      writeFileSync(join(service.store.directory, "backups"), "");
      await operator.post("/admin/v1/backups", {});
      await eventually(async () => (await operator.get("/admin/v1/alerts")).body.alerts.length > 0);
      rmSync(join(service.store.directory, "backups"));
      const [{ id }] = (await operator.get("/admin/v1/alerts")).body.alerts;
      await operator.post(`/admin/v1/alerts/${id}/acknowledge`, {});
      const [alert] = (await operator.get("/admin/v1/alerts")).body.alerts;
      return `Acknowledge an alert to show others that you have seen it. It ${alert.endedAt === null ? "stays until its cause is gone" : "ends with that"}.`;
    },
  ],
  [
    "/admin/openapi.json",
    "the last four characters of a key that is rotated",
    async (operator) => {
      const { key } = (await operator.post("/admin/v1/keys", KEY)).body;
      const rotated = (await operator.post(`/admin/v1/keys/${key.id}/rotate`, {})).body;
      const which = rotated.key.lastFour === rotated.secret.slice(-4) ? "newest" : "first";
      states("docs/your-key.md", `The last four characters of its ${which} secret.`);
      const found = (await operator.get(`/admin/v1/keys?search=${rotated.key.lastFour}`)).body.total;
      expect(found).toBeGreaterThan(0);
      return `The last four characters of its ${which} secret.`;
    },
  ],
  [
    "docs/monitoring.md",
    "which requests the history has",
    async (operator) => {
      const anonymous = service.anonymous();
      await anonymous.get("/v1/pets?name=Rex");
      await fetch(`${service.url}/docs`);
      await (await service.withKey()).get("/v1/nowhere");
      const requests = async () =>
        (await operator.get("/admin/v1/requests?limit=100")).body.requests as { status: number; path: string }[];
      await eventually(async () => (await requests()).some(({ path }) => path === "/v1/nowhere"));
      const all = await requests();
      const has = (status: number) => all.some((one) => one.status === status);
      const others = all.some(({ path }) => /^\/(docs|admin)/.test(path)) ? "and" : "nor";
      expect(all.some(({ path }) => path.includes("?"))).toBe(false);
      return `Every request under \`/v1\` or to \`/mcp\` is in it, ${has(401) && has(404) ? "also" : "but not"} one that is refused with 401, 404, 413 or 429|Bytes that the HTTP parser refuses are not, ${others} are the documentation and the administration interface`;
    },
  ],
  [
    "docs/monitoring.md",
    "lookups of keys",
    async () => {
      const count = async (result: string) =>
        (await metricsAt(service.adminUrl)).samples.find(
          ({ name, labels }) => name === "petstore_key_cache_total" && labels.result === result,
        )?.value ?? 0;
      const client = await service.withKey();
      const misses = await count("miss");
      await client.get("/v1/pets");
      expect(await count("miss")).toBe(misses + 1);
      const hits = await count("hit");
      await client.get("/v1/pets");
      return `Lookups of keys: \`${(await count("hit")) === hits + 1 ? "hit" : "miss"}\` from memory, \`miss\` from the store.`;
    },
  ],
  [
    "docs/data.md",
    "the files beside the database",
    async () => {
      const [, stated = ""] =
        /((?:`petstore\.db\S+`,? (?:and )?){3})need not be put back/.exec(pageInOneLine("docs/data.md")) ?? [];
      if (service.store.engine === "sqlite") {
        const names = readdirSync(service.store.directory);
        const name = names.find((one) => one.endsWith(".db")) ?? "";
        // The others are the data, and what the service keeps beside them.
        const made = names.filter((one) => one.startsWith(name) && !/\.db(-wal|\.reserve|\.requests)?$/.test(one));
        expect(stated.match(/petstore[^`]+/g)?.toSorted()).toEqual(
          made.map((one) => one.replace(name, "petstore.db")).toSorted(),
        );
      }
      return `${stated}need not be put back: the start makes them.`;
    },
  ],
];

describe("for operators", () => {
  const { client } = useOperator(service);
  test.each(forOperators.map(([page, what, observe]) => ({ page, what, observe })))(
    "$page, beside the service: $what",
    async ({ page, observe }) => {
      for (const statement of (await observe(client)).split(/\|(?! )/)) says(textOf(page), statement);
    },
  );
});
describe("on staging", () => {
  const staging = useService({ env: { PETSTORE_DEPLOYMENT: "staging" } });
  const { client: operator } = useOperator(staging);

  test("what becomes of the simulation of a key", async () => {
    const { key, secret } = (await operator.post("/admin/v1/keys", KEY)).body;
    const path = `/admin/v1/keys/${key.id}`;
    const set = { answer: "service_unavailable", next: 5 };
    const simulation = async () => (await operator.get(path)).body.simulation;
    const client = staging.withSecret(secret);
    await operator.put(`${path}/simulation`, set);
    expect((await client.get("/v1/pets")).status).toBe(503);
    const own = await client.get("/v1/pets", { "Petstore-Simulate": "quota_exceeded" });
    const counted = (await simulation()).requests;
    await staging.advance({ seconds: 1 });
    await operator.put(`${path}/simulation`, set);
    const again = (await simulation()).requests === 0 ? "counts from the start" : "counts on";
    await operator.patch(path, { name: "Till", disabled: true });
    const { key: rotated } = (await operator.post(`${path}/rotate`, {})).body;
    const kept = rotated.simulation === null ? "ends" : "keeps";
    await operator.post(`${path}/revoke`, {});
    const ended = (await simulation()) === null ? "ends" : "keeps";
    const { status: without } = await operator.delete(`${path}/simulation`);
    says(
      textOf("/admin/openapi.json"),
      `A key without a simulation ${without === 200 ? "stays as it is" : "is not found"}.`,
    );
    const page = "docs/administration.md";
    states(
      page,
      `Setting a simulation again replaces it and ${again}. Rotating, renaming or disabling the key ${kept} it, revoking the key ${ended} it.`,
    );
    states(
      "docs/rehearsal.md",
      `A request with a header \`Petstore-Simulate\` follows ${own.body.code === "quota_exceeded" ? "that instead" : "its key"}.`,
    );
    states(
      page,
      `does not count, and neither does one with a header \`Petstore-Simulate\` ${counted === 1 ? "of its own" : "alone"}.`,
    );
  });
});
