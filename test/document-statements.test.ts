/** What a document says of the service's behaviour, in words that could be their opposite, is what a running service does. */
import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { administrationDocument } from "../src/adapters/http/admin/document.ts";
import { openApiDocument } from "../src/adapters/http/document.ts";
import { toJson } from "../src/domain/json.ts";
import type { TestPetstore } from "../src/testing/petstore.ts";
import { startPetstore } from "../src/testing.ts";
import { readConfig } from "../src/wiring/config.ts";
import type { Client } from "./support/client.ts";
import { eventually } from "./support/eventually.ts";
import { pages, read } from "./support/markdown.ts";
import { metricsAt } from "./support/metrics.ts";
import { inOneLine, says } from "./support/says.ts";
import { useOperator, useService } from "./support/use-service.ts";
import { call } from "./testing/call.ts";

const service = useService();
const plain = (path: string) => read(path).replaceAll(/\s+/g, " ");
const published = JSON.parse(toJson(openApiDocument(readConfig({}).baseUrls, "staging")));
const headersOf = (name: string) => JSON.stringify(published.components.headers[name]);

test("which limit the headers show, and what the letters of RateLimit mean", async () => {
  const limitShown = async (perMinute: number, perDay: number) => {
    const client = await service.withKey({ plan: "enterprise", limits: { perMinute, perDay } });
    return (await client.get("/v1/pets")).headers;
  };
  const uneven = await limitShown(10, 5);
  const shown = uneven.get("X-RateLimit-Limit") === "5" ? "fewer" : "more";
  says(plain("docs/limits.md"), `The limit of the window with ${shown} requests left.`);
  says(headersOf("XRateLimitLimit"), `The limit of the window with ${shown} requests remaining`);
  const even = await limitShown(5, 5);
  const isDay = Number(even.get("X-RateLimit-Reset")) - service.now / 1_000 > 60;
  says(
    plain("docs/limits.md"),
    `If both have the same number left, the window that ends ${isDay ? "later" : "sooner"}.`,
  );

  const letters = (header: string) => {
    const [, first = "", one, second = ""] = /"day";(\w)=(\d+);(\w)=\d+/.exec(uneven.get(header) ?? "") ?? [];
    return one === "5" || one === "4" ? [first, second] : [second, first];
  };
  const [q, w] = letters("RateLimit-Policy");
  const [r, t] = letters("RateLimit");
  says(plain("docs/limits.md"), `\`${q}\` requests in \`${w}\` seconds.`);
  says(plain("docs/limits.md"), `\`${r}\` requests left for \`${t}\` more seconds`);
  says(headersOf("RateLimitPolicy"), `\`${q}\` requests in \`${w}\` seconds`);
  says(headersOf("RateLimit"), `\`${r}\` requests remain for \`${t}\` more seconds`);
});

test("what a condition does that is malformed, or names any state", async () => {
  const client = await service.withKey();
  const { body: pet } = await client.post("/v1/pets", { name: "Rex", categoryId: 1 });
  const status = async (headers: Record<string, string>, id = pet.id) =>
    (await client.patch(`/v1/pets/${id}`, { name: "Rex" }, headers)).status;
  const page = plain("docs/changing-pets.md");
  says(page, `${(await status({ "If-Match": "*" })) === 200 ? "`*` matches any that exists" : "`*` matches none"}.`);
  says(
    page,
    `has more than 256 elements, matches ${(await status({ "If-Match": "v1" })) === 412 ? "nothing: 412" : "all"}.`,
  );
  says(page, `A malformed header is ${(await status({ "If-None-Match": "v1" })) === 412 ? "read as `*`" : "ignored"}.`);
  const reads = await client.get(`/v1/pets?ids=${pet.id}`, { "If-Match": '"v77"' });
  says(page, reads.status === 200 ? "Reads ignore `If-Match`." : "Reads take `If-Match`");
});

test("what an event has of something that was removed", async () => {
  const client = await service.withKey();
  const { body: pet } = await client.post("/v1/pets", { name: "Gone", categoryId: 1 });
  await client.delete(`/v1/pets/${pet.id}`);
  const { body: events } = await client.get(`/v1/events?subject=pets/${pet.id}`);
  const [created, removed] = events;
  const page = plain("docs/events.md");
  const data = JSON.stringify(removed.data) === JSON.stringify(pet) ? "its last state" : "null";
  says(page, `The pet, category or order after the change; ${data} once it was removed.`);
  says(page, `which grows with each change. A removal is ${removed.version > created.version ? "one" : "none"}.`);
});

test("what a key in another place, a scheme in other letters and an unknown id get", async () => {
  const { secret } = await service.createKey();
  const at = (path: string, headers: [string, string][] = []) => fetch(`${service.url}${path}`, { headers });
  const inQuery = await at(`/v1/pets?key=${secret}`);
  const lower = await at("/v1/pets", [["Authorization", `bEARER ${secret}`]]);
  const page = plain("docs/authentication.md");
  says(page, `The scheme's name is ${lower.status === 200 ? "case-insensitive" : "case-sensitive"}.`);
  says(
    page,
    `A key in the query string and a second \`Authorization\` header are ${inQuery.status === 401 ? "refused" : "accepted"}.`,
  );
  const unknown = await at("/v1/pets", [["Authorization", "Bearer pets_live_typo"]]);
  const missing = await at("/v1/pets");
  const said = (response: Response) => /error="\w+"/.exec(response.headers.get("WWW-Authenticate") ?? "")?.[0];
  expect(said(missing)).toBeUndefined();
  says(page, `If you sent a key that is not valid, \`WWW-Authenticate\` contains \`${said(unknown)}\`.`);
});

test("which secrets are stored as hashes, and which as they are", async () => {
  const { secret } = await service.createKey();
  const { token, client: operator } = await service.withOperator("admin");
  const hook = await operator.post("/admin/v1/webhooks", { url: "https://shop.invalid/" });
  if (service.store.engine !== "sqlite") return;
  const files = readdirSync(service.store.directory).filter((name) => /\.db(-wal)?$/.test(name));
  const bytes = files.map((name) => readFileSync(join(service.store.directory, name), "latin1")).join();
  const stored = (text: string) => bytes.includes(text);
  says(plain("docs/webhooks.md"), `Secrets are stored as ${stored(hook.body.secret) ? "they are" : "hashes"},`);
  says(plain("docs/data.md"), stored(secret) ? "the key is stored" : "only its SHA-256 is stored");
  says(plain("docs/administration.md"), stored(token) ? "The token is stored" : "Only its SHA-256 is stored.");
  says(plain("SECURITY.md"), stored(secret) ? "The key is stored" : "API keys at rest | Only the SHA-256 is stored.");
});

describe("each address of the service in a document leads somewhere:", () => {
  /** Parts of addresses to which a program adds the rest, and the example of a path that does not exist. */
  const PARTS = ["/v1", "/v1/store", "/v1/pet"];
  const found = pages.flatMap((page) =>
    [...read(page).matchAll(/http:\/\/127\.0\.0\.1:80([89])([01])(\/[^\s"'`)<>|\\…]*)/g)].map(
      ([address, , listener, path = ""]) => ({
        page,
        address,
        listener: listener === "1" ? "admin" : "public",
        path: path
          .replace(/\?.*/, "")
          .replaceAll(/\$\w+|\$?\{\w+\}/g, "1")
          .replace(/[.,:;]+$/, ""),
      }),
    ),
  );
  const each = [...new Map(found.map((one) => [`${one.listener} ${one.path}`, one])).values()];

  test.each(each.filter(({ path }) => !PARTS.includes(path)))("$address", async ({ listener, path }) => {
    const { secret } = await service.createKey();
    const { token } = await service.withOperator("admin");
    const [url, credential] = listener === "admin" ? [service.adminUrl, token] : [service.url, secret];
    const response = await fetch(url + path, {
      headers: { Authorization: `Bearer ${credential}` },
      redirect: "manual",
    });
    const text = await response.text();
    expect([path, /"code":"not_found"/.test(text)]).toEqual([path, false]);
    if (!/^\/(v1|admin|mcp|console)/.test(path)) expect([path, response.status < 400]).toEqual([path, true]);
  });
});

function objectsIn(value: unknown): Record<string, unknown>[] {
  if (typeof value !== "object" || value === null) return [];
  return [{ ...value }, ...Object.values(value).flatMap(objectsIn)];
}

type Statement = [page: string, what: string, observe: (store: TestPetstore) => Promise<string>];
const PET = { name: "Rex", categoryId: 1 };
const add = async (store: TestPetstore, pet: object = PET, headers: Record<string, string> = {}) =>
  (await call(store, "/pets", { body: pet, headers })).body;
const patch = (store: TestPetstore, path: string, body: object, headers: Record<string, string> = {}) =>
  call(store, path, { method: "PATCH", body, headers });
const usage = async (store: TestPetstore) => (await call(store, "/usage")).body;
const simulating = (value: string) => ({ headers: { "Petstore-Simulate": value } });

const statements: Statement[] = [
  [
    "docs/limits.md",
    "a request that is refused, and reading the usage",
    async (store) => {
      const { key } = await store.createKey({ plan: "enterprise", limits: { perMinute: 2, perDay: 9 } });
      const send = (path = "/pets") => call(store, path, { key });
      await send();
      await send();
      const { status } = await send();
      const { day } = (await send("/usage")).body;
      const counts = day.used === 2 ? "counts in neither, and neither does" : "counts in both, and so does";
      return `A request that is refused with ${status} ${counts} reading your usage and your key`;
    },
  ],
  [
    "docs/limits.md",
    "a batch that does not fit",
    async (store) => {
      const { key } = await store.createKey({ plan: "enterprise", limits: { perMinute: 3, perDay: 9 } });
      await call(store, "/pets", { key });
      const pets = [PET, PET, PET];
      const { status, headers } = await call(store, "/pets/batch", { key, body: { pets } });
      const { minute } = (await call(store, "/usage", { key })).body;
      const left = Number(headers.get("X-RateLimit-Remaining")) === minute.remaining ? "what remains of" : "0 of";
      return `the response is ${status}, and ${minute.used === 1 ? "nothing" : "each"} is counted. \`X-RateLimit-Remaining\` is then ${left} the window`;
    },
  ],
  [
    "docs/limits.md",
    "a batch that is invalid",
    async (store) => {
      await call(store, "/pets/batch", { body: { pets: [PET, {}] } });
      return `413, 415) counts ${(await usage(store)).minute.used === 1 ? "once" : "twice"}.`;
    },
  ],
  [
    "docs/limits.md",
    "requests during a ban",
    async (store) => {
      store.clock.freeze();
      const { key } = await store.createKey({ plan: "enterprise", limits: { perMinute: 1, perDay: 1_000 } });
      const send = (path = "/pets") => call(store, path, { key });
      await send();
      await send();
      store.clock.advance({ seconds: 3 });
      for (let strike = 0; strike < 100; strike++) await send();
      const first = (await send()).headers.get("X-RateLimit-Reset");
      store.clock.advance({ seconds: 5 });
      const banned = await send();
      expect([banned.body.code, (await send("/usage")).status]).toEqual(["key_banned", 200]);
      const extends_ = banned.headers.get("X-RateLimit-Reset") === first ? "do not extend" : "extend";
      return `every request except getUsage and those about your key gets ${banned.status} \`${banned.body.code}\`. \`Retry-After\` and \`X-RateLimit-Reset\` name the end of the ban|The refused requests count in no window and ${extends_} the ban.`;
    },
  ],
  [
    "docs/interface.md",
    "numbers as integers",
    async (store) => {
      const send = async (categoryId: string) =>
        (
          await fetch(`${store.url}/pets`, {
            method: "POST",
            headers: { Authorization: `Bearer ${store.key}`, "Content-Type": "application/json" },
            body: `{"name":"Rex","categoryId":${categoryId}}`,
          })
        ).status === 201;
      const forms = ["1", "1.0", "1e2", '"1"', "1.5"];
      const taken = await Promise.all(forms.map(send));
      const [yes, no] = [true, false].map((one) =>
        forms.filter((_, at) => taken[at] === one).map((form) => `\`${form}\``),
      );
      return `${yes?.join(", ").replace(/, (?=[^,]*$)/, " and ")} are integers; ${no?.join(" and ")} are not.`;
    },
  ],
  [
    "docs/interface.md",
    "a status of null, and an id in the body",
    async (store) => {
      const refused = (await call(store, "/pets", { body: { ...PET, status: null } })).status === 400;
      const pet = await add(store, { ...PET, id: 4711 });
      return `\`null\` is ${refused ? "refused" : "the default"}.|Fields that are not listed here are ${pet.id === 4711 ? "taken" : "ignored"}, including an \`id\` in the body of a creation.`;
    },
  ],
  [
    "docs/interface.md",
    "many pets",
    async (store) => {
      const pets = ["C", "A", "B"].map((name) => ({ ...PET, name }));
      const { body } = await call(store, "/pets/batch", { body: { pets } });
      const [one, , three] = body.pets;
      const { body: refusal } = await call(store, "/pets/batch", {
        body: { pets: [PET, PET, PET, { categoryId: 1 }] },
      });
      return `The response has them in ${one.name === "C" ? "the same order" : "any order"}, with ${one.id < three.id ? "ascending" : "descending"} ids.|by its place, from 0: \`${refusal.details[0].field}\`.`;
    },
  ],
  [
    "docs/interface.md",
    "unknown names, with and without strict handling",
    async (store) => {
      const loose = await call(store, "/pets?state=sold");
      const strict = await call(store, "/pets?state=sold", { headers: { Prefer: "handling=strict" } });
      expect(strict.status).toBe(400);
      return `Unknown query parameters and body fields are ${loose.status === 200 ? "ignored" : "refused"}:`;
    },
  ],
  [
    "docs/interface.md",
    "an id that you send",
    async (store) => {
      const of = async (id: string) =>
        (await call(store, "/pets", { headers: { "X-Request-Id": id } })).headers.get("X-Request-Id") === id;
      const [own, secret, other] = [await of("a-Z_0.9"), await of(store.key), await of("a b")];
      return `The service ${own ? "keeps" : "replaces"} an id that you send if it has 1 to 128 characters of \`A-Z a-z 0-9 . _ -\` and contains ${secret ? "a" : "no"} secret, and ${other ? "keeps" : "replaces"} any other.`;
    },
  ],
  [
    "docs/changing-pets.md",
    "changes that change nothing, and null",
    async (store) => {
      const { id } = await add(store);
      const before = (await call(store, `/pets?ids=${id}`)).headers.get("ETag");
      const empty = await patch(store, `/pets/${id}`, {});
      const nothing = await patch(store, `/pets/${id}`, { name: null });
      return `No field is ${empty.status === 200 ? "required" : "optional"}, and \`null\` is ${nothing.status === 400 ? "refused" : "allowed"}. A body that changes nothing gets ${empty.status}, and the pet ${empty.headers.get("ETag") === before ? "keeps its" : "gets another"} ETag.`;
    },
  ],
  [
    "docs/orders.md",
    "the pet of an order",
    async (store) => {
      const { id } = await add(store);
      await call(store, "/store/orders", { body: { petId: id } });
      const name = await patch(store, `/pets/${id}`, { name: "Max", categoryId: 2 });
      const status = await patch(store, `/pets/${id}`, { status: "available" });
      const removal = await call(store, `/pets/${id}`, { method: "DELETE" });
      expect(removal.body.code).toBe("pet_reserved");
      return `a change of its status and \`DELETE\` are ${status.status} \`${status.body.code}\`, with the order in the message. Its name and its category can ${name.status === 200 ? "change" : "not change"}.`;
    },
  ],
  [
    "docs/orders.md",
    "references of orders, and a status again",
    async (store) => {
      const place = async (reference: string) =>
        (await call(store, "/store/orders", { body: { petId: (await add(store)).id, reference } })).body;
      const [one, two] = [await place("Basket"), await place("Basket")];
      const found = async (reference: string) =>
        (await call(store, `/store/orders?reference=${reference}`)).body.length;
      const again = await patch(store, `/store/orders/${one.id}`, { status: "placed" });
      expect(again.body.code).toBe("invalid_transition");
      return `Several orders may have ${two.id === undefined ? "none" : "the same one"}.|Only orders with this reference; case ${(await found("basket")) === (await found("Basket")) ? "is ignored" : "matters"}.|Any other change is ${again.status} \`invalid_transition\`, and so is the status that the order already has`;
    },
  ],
  [
    "docs/orders.md",
    "an order that has expired",
    async (store) => {
      const { id } = await add(store);
      const { body: order } = await call(store, "/store/orders", { body: { petId: id } });
      store.clock.advance({ hours: 2 });
      const cancelled = await patch(store, `/store/orders/${order.id}`, { status: "cancelled" });
      const [pet] = (await call(store, `/pets?ids=${id}`)).body;
      const { key } = await store.createKey();
      const last = (await call(store, `/events?subject=orders/${order.id}`, { key })).body.map(
        ({ type }: { type: string }) => type,
      );
      expect(last).toEqual(["order.placed", "order.cancelled"]);
      return `the pet becomes \`${pet.status}\`, in the same transaction, and both changes are events. To cancel an order that has expired is ${cancelled.status === 200 ? "no error" : "an error"}: the response is ${cancelled.status} with the order as it is.|Such an order has \`expiresAt\` while it is \`${order.expiresAt ? order.status : "cancelled"}\`.`;
    },
  ],
  [
    "docs/paging.md",
    "ids in a list",
    async (store) => {
      const ids = [];
      for (let at = 0; at < 25; at++) ids.push((await add(store)).id);
      const all = (await call(store, `/pets?ids=${ids.join(",")}`)).body;
      const some = (await call(store, `/pets?ids=${ids[0]},${ids[0]},4711`)).body;
      const three = ["ids=1&ids=2", "ids[]=1&ids[]=2", "ids[0]=1&ids[1]=2"];
      const same = await Promise.all(three.map(async (query) => (await call(store, `/pets?${query}`)).body.length));
      expect(same).toEqual([2, 2, 2]);
      return `An unknown id is ${some.length === 1 ? "not in the response" : "an error"}. You may send an id twice; its pet appears ${some.length === 1 ? "once" : "twice"}. Without \`limit\` the page holds ${all.length === 25 ? "all" : "20"} of them.`;
    },
  ],
  [
    "docs/paging.md",
    "a parameter that is empty, repeated, or has brackets",
    async (store) => {
      const refused = async (query: string) => (await call(store, `/pets?${query}`)).status === 400;
      expect([await refused("limit=0"), await refused("status="), await refused("limit=1&limit=2")]).toEqual(
        Array(3).fill(true),
      );
      const brackets = (await refused("status[]=sold")) ? "is refused" : "is ignored";
      return `A parameter that is out of bounds, empty or repeated is refused, and the error names each of them.|any other known name with brackets ${brackets}, such as \`status[]=sold\`.`;
    },
  ],
  [
    "docs/paging.md",
    "the names of pets, and categories, in other letters",
    async (store) => {
      await add(store, { name: "Élan", categoryId: 1 });
      const finds = async (name: string) =>
        (await call(store, `/pets?name=${encodeURIComponent(name)}`)).body.length === 1;
      const [plainly, accented, upper] = [await finds("e*"), await finds("é*"), await finds("ÉLAN")];
      return `\`e*\` ${plainly ? "finds" : "does not find"} \`Élan\`, \`é*\` ${accented ? "does" : "does not"}, with either form|Case is ${upper ? "ignored" : "kept"}: names are compared in lower case`;
    },
  ],
  [
    "docs/events.md",
    "the Link of an empty page, and another value of Prefer",
    async (store) => {
      const page = await call(store, "/events?after=9007199254740991");
      const other = await call(store, "/events?after=9007199254740991", { headers: { Prefer: "wait=0" } });
      const ignored = other.status === 200 && !other.headers.has("Preference-Applied") ? "ignored" : "refused";
      return `The \`Link\` with \`rel="next"\` is ${page.headers.has("Link") ? "there on an empty page too" : "missing on an empty page"}|Another value is ${ignored}.`;
    },
  ],
  [
    "docs/idempotency.md",
    "the same key again, after a refusal, in another format, and of another API key",
    async (store) => {
      const headers = { "Idempotency-Key": "a" };
      const refused = await call(store, "/pets", { body: { name: "" }, headers });
      const created = await call(store, "/pets", { body: PET, headers });
      expect([refused.status, created.status]).toEqual([400, 201]);
      await call(store, `/pets/${created.body.id}`, { method: "DELETE" });
      const again = await call(store, "/pets", { body: PET, headers });
      const formatted = await fetch(`${store.url}/pets`, {
        method: "POST",
        headers: { Authorization: `Bearer ${store.key}`, "Content-Type": "application/json", ...headers },
        body: JSON.stringify({ categoryId: 1, name: "Rex" }, null, 2),
      });
      const { key } = await store.createKey();
      const other = (await call(store, "/pets", { body: PET, headers, key })).body.id !== created.body.id;
      const replayed = again.headers.get("Idempotency-Replayed") === "true";
      return `also if what it created has been changed or removed since|the formatting of its JSON ${formatted.status === 201 ? "does not matter" : "matters"}.|A new attempt: refusals are ${created.status === 201 ? "not stored" : "stored"}.|An \`Idempotency-Key\` belongs to ${other ? "your API key" : "the service"} and|The first ${replayed ? again.status : 404} again`;
    },
  ],
  [
    "docs/usage.md",
    "a key without scopes, a window that is not open, and rehearsals",
    async (store) => {
      const { key } = await store.createKey({ scopes: ["events:read"] });
      const { status, body: before } = await call(store, "/usage", { key });
      await call(store, "/pets", { key, ...simulating("service_unavailable") });
      const { body: after } = await call(store, "/usage", { key });
      const hour = after.last24Hours.at(-1);
      expect([hour.simulated, hour.byClass["5xx"]]).toEqual([1, 0]);
      return `It needs a key, with ${status === 200 ? "any scopes" : "a scope"}.|\`resetAt\` is ${before.minute.resetAt === null ? "`null`" : "set"} while the window is not open: the next request that counts ${after.minute.resetAt === null ? "does not open" : "opens"} it.|the requests that were rehearsals, which ${hour.requests === 1 ? "no other count has" : "all counts have"}.`;
    },
  ],
  [
    "docs/your-key.md",
    "a key that rotates itself",
    async (store) => {
      const { id, key } = await store.createKey({ plan: "pro", scopes: ["key:rotate"] });
      const { body } = await call(store, "/key/rotate", { key, body: {}, headers: { "Idempotency-Key": "a" } });
      const again = await call(store, "/key/rotate", { key, body: {}, headers: { "Idempotency-Key": "a" } });
      const old = await call(store, "/key/rotate", { key, body: {} });
      const same = body.key.id === id && body.key.plan === "pro" ? "stay" : "change";
      return `you get ${again.body.secret === body.secret ? "the same secret" : "another secret"} again|A secret in its grace period ${old.status === 403 ? "cannot" : "can"} rotate the key: the response is ${old.status}.|Id, plan, scopes, expiry, limits and their counts ${same}.`;
    },
  ],
  [
    "docs/categories.md",
    "names of categories, and categories that pets have",
    async (store) => {
      const { body: one } = await call(store, "/categories", { body: { name: "Parrots" } });
      const twice = await call(store, "/categories", { body: { name: "PARROTS" } });
      const again = await call(store, `/categories/${one.id}`, { method: "PUT", body: { name: "Parrots" } });
      const missing = await call(store, "/categories/77", {
        method: "PUT",
        body: { name: "A" },
        headers: { "If-Match": "*" },
      });
      const pet = await add(store, { name: "Rex", categoryId: 4711 });
      await add(store, { name: "Rex", categoryId: one.id });
      const removal = await call(store, `/categories/${one.id}`, { method: "DELETE" });
      return `Case is ${twice.status === 409 ? "ignored" : "kept"}: names|The same name again is ${again.status}, and changes nothing.|where no category exists, it is ${missing.status}, also with \`*\`.|A pet can have any \`categoryId\`, whether a category with this id exists ${pet.id ? "or not" : "alone"}|removes a category that ${removal.status === 409 ? "no pet has" : "pets have"}.`;
    },
  ],
  [
    "docs/deprecation.md",
    "what announces the removal of getPet",
    async (store) => {
      const { body: found } = await call(store, "/pets?limit=1");
      const id = found[0]?.id ?? (await add(store)).id;
      const announced = await Promise.all(
        [
          ["GET", id],
          ["HEAD", id],
          ["GET", 4711],
        ].map(async ([method, of]) =>
          (
            await fetch(`${store.url}/pets/${of}`, {
              method: String(method),
              headers: { Authorization: `Bearer ${store.key}` },
            })
          ).headers.has("Sunset"),
        ),
      );
      const wrong = await Promise.all(
        ["abc", "0", "-1", "1.0", "01"].map(async (of) => (await call(store, `/pets/${of}`)).status),
      );
      return `Each response to \`GET\` and \`HEAD\` of this path announces the removal, ${announced.every(Boolean) ? "with any status" : "if it succeeds"}:|Anything that is not the id of a pet is ${[...new Set(wrong)].join(" or ")}: letters`;
    },
  ],
  [
    "/openapi.json",
    "a pet that was removed, and one that an order holds",
    async (store) => {
      const { id } = await add(store);
      await call(store, `/pets/${id}`, { method: "DELETE" });
      const next = await add(store);
      await call(store, "/store/orders", { body: { petId: next.id } });
      const held = await call(store, `/pets/${next.id}`, { method: "DELETE" });
      return `Removes a pet for good, ${held.status === 409 ? "unless an order holds it" : "also if an order holds it"}. Its id is ${next.id > id ? "never" : "soon"} assigned again.|While an order holds the pet, its status changes with the order alone.`;
    },
  ],
  [
    "/openapi.json",
    "orders and their pets",
    async (store) => {
      const { id } = await add(store);
      const { body: order } = await call(store, "/store/orders", { body: { petId: id, reference: "A" } });
      const [pending] = (await call(store, `/pets?ids=${id}`)).body;
      await patch(store, `/store/orders/${order.id}`, { status: "cancelled" });
      await call(store, `/pets/${id}`, { method: "DELETE" });
      const outlived = await call(store, `/store/orders/${order.id}`);
      const exact = (await call(store, "/store/orders?reference=a")).body.length === 0 ? "exactly this" : "this";
      return `Orders an available pet, which becomes ${pending.status} with the order.|Orders ${outlived.status === 200 ? "outlive" : "go with"} their pets.|Only orders with ${exact} reference.`;
    },
  ],
  [
    "/openapi.json",
    "batches, and where a page of events begins",
    async (store) => {
      const pets = [PET, { name: "", categoryId: 1 }];
      await call(store, "/pets/batch", { body: { pets } });
      const left = (await call(store, "/pets")).body.length === 0 ? "none" : "some";
      const { used } = (await usage(store)).minute;
      await add(store);
      const [first] = (await call(store, "/events?after=0")).body;
      const above = (await call(store, `/events?after=${first.id}`)).body;
      const empty = await call(store, "/events?after=9007199254740991");
      return `Adds all of these pets, or ${left} of them.|one that is invalid counts as ${used === 2 ? "one" : used}.|Only events with an id ${above.some(({ id }: { id: number }) => id === first.id) ? "from this one on" : "above this one"}: the position|${empty.headers.has("Link") ? "also on an empty one" : "but on an empty one"}: it leads to what comes next.`;
    },
  ],
  [
    "docs/mirror.md",
    "a pet that changes while the pages are copied",
    async (store) => {
      const [one] = [await add(store), await add(store)];
      const first = await call(store, "/pets?limit=1");
      await patch(store, `/pets/${one.id}`, { name: "Max" });
      const last = await call(store, `/pets?limit=1&after=${one.id}`);
      const seen = async ({ headers }: { headers: Headers }) =>
        (await call(store, `/events?after=${headers.get("Petstore-Position")}`)).body.length === 1;
      const page = (await seen(first)) && !(await seen(last)) ? "first" : "last";
      return `Keep \`Petstore-Position\` of the ${page} page.`;
    },
  ],
  [
    "docs/events.md",
    "a pet that changes while the pages are copied",
    async (store) => {
      await add(store);
      const page = await call(store, "/pets");
      const position = Number(page.headers.get("Petstore-Position"));
      const [newest] = (await call(store, "/events")).body.toReversed();
      return `what the page shows is at least as ${position >= newest.id ? "new" : "old"} as that event. Copy all pages, then follow the feed from the position of the first page.`;
    },
  ],
  [
    "/openapi.json",
    "what can remove an order",
    async (store) => {
      const response = await call(store, "/store/orders/1", { method: "DELETE" });
      const only = response.status === 405 ? "only happens to old orders" : "happens to orders";
      return `\`order.deleted\` ${only}, and when staging is reset.`;
    },
  ],
  [
    "docs/authentication.md",
    "the secrets of a key, and paths without a key",
    async (store) => {
      const { key } = await store.createKey({ scopes: ["key:rotate", "pets:read"] });
      const { body } = await call(store, "/key/rotate", { key, body: {} });
      await call(store, "/pets", { key });
      const { headers } = await call(store, "/pets", { key: body.secret });
      const shared = Number(headers.get("X-RateLimit-Limit")) - Number(headers.get("X-RateLimit-Remaining")) === 2;
      const [known, unknown] = await Promise.all(
        ["/pets", "/nowhere"].map(async (path) => (await fetch(store.url + path)).status),
      );
      return `Both secrets ${shared ? "share one set" : "have each their own set"} of limits|Every path under \`/v1\` requires a key, ${known === unknown ? "whether the path exists or not" : "if the path exists"}.`;
    },
  ],
  [
    "/openapi.json",
    "the id of a key that is rotated, and when the secret of a request works",
    async (store) => {
      const { id, key } = await store.createKey({ scopes: ["key:rotate"] });
      const { body } = await call(store, "/key/rotate", { key, body: {} });
      const old = await call(store, "/key", { key });
      const again = await call(store, "/key/rotate", { key, body: {} });
      return `It ${body.key.id === id ? "stays when" : "changes when"} the key is rotated.|The secret of the request ${old.status === 200 ? "works" : "fails"} until the grace period ends, after a day by default; until then it ${again.status === 403 ? "cannot" : "can"} rotate the key.`;
    },
  ],
  [
    "docs/limits.md",
    "which refusals are strikes",
    async (store) => {
      store.clock.freeze();
      const { key } = await store.createKey({ plan: "enterprise", limits: { perMinute: 1, perDay: 99 } });
      const strikes = async () => {
        await call(store, "/pets", { key });
        return (await call(store, "/usage", { key })).body.strikes;
      };
      await strikes();
      const [early] = [await strikes(), await strikes()];
      store.clock.advance({ seconds: 3 });
      expect(await strikes()).toBe(1);
      return `Requests that were under way when the limit was reached are ${early === 0 ? "not" : "also"} strikes.`;
    },
  ],
  [
    "docs/errors.md",
    "a key that is disabled and enabled, and a pet that was removed",
    async (store) => {
      const { id } = await add(store);
      await call(store, `/pets/${id}`, { method: "DELETE" });
      const list = await call(store, `/pets?ids=${id}`);
      const order = await call(store, "/store/orders", { body: { petId: id } });
      expect(order.body.code).toBe("pet_not_found");
      return `names something that is not the id of a pet, or of one that was removed.|A list with \`ids\` ${list.status === 200 ? "does not fail: it leaves the unknown pet out" : "fails"}.`;
    },
  ],
  [
    "docs/usage.md",
    "the hours",
    async (store) => {
      const { last24Hours: hours } = await usage(store);
      const order = hours[0].at < hours.at(-1).at ? "oldest" : "newest";
      return `The current hour and the ${hours.length - 1} before it, ${order} first: \`at\`, the start of the hour (UTC)`;
    },
  ],
  [
    "docs/your-key.md",
    "the days, and the scopes that it takes to read the key",
    async (store) => {
      const { key } = await store.createKey({ scopes: ["events:read"] });
      const { status, body } = await call(store, "/key", { key });
      const { last30Days: days } = body;
      expect(status).toBe(200);
      const { minute } = (await call(store, "/usage", { key })).body;
      return `Today and the ${days.length - 1} days before it, ${days[0].at < days.at(-1).at ? "oldest" : "newest"} first: \`at\`, the start of the day (UTC)|they count in ${minute.used === 0 ? "neither" : "both"} of your plan's windows, and work when no requests remain and during a ban.`;
    },
  ],
  [
    "docs/interface.md",
    "what needs no key, and leads elsewhere",
    async (store) => {
      const root = store.url.replace(/\/v1$/, "");
      const at = async (path: string, init: RequestInit = {}) =>
        await fetch(root + path, { redirect: "manual", ...init });
      const [live, ready, document] = [await at("/livez"), await at("/readyz"), await at("/openapi.json")];
      expect([await live.json(), await ready.json()]).toEqual([{ status: "alive" }, { status: "ready" }]);
      const anyone = document.headers.get("Access-Control-Allow-Origin") === "*";
      const key = { headers: { Authorization: `Bearer ${store.key}` } };
      const [get, head] = [await at("/v1/pets", key), await at("/v1/pets", { ...key, method: "HEAD" })];
      const same =
        get.status === head.status &&
        (await head.text()) === "" &&
        get.headers.get("ETag") === head.headers.get("ETag");
      return `\`/openapi.json\` | The OpenAPI 3.1 document. ${anyone ? "Any" : "No"} web page may read it.||Each path that answers \`GET\` also answers \`HEAD\`, with the ${same ? "same status and headers and without the body" : "same status"}`.replaceAll(
        "||",
        "\n",
      );
    },
  ],
  [
    "docs/agents.md",
    "messages that are refused",
    async (store) => {
      const send = (init: RequestInit) =>
        fetch(store.url.replace(/\/v1$/, "/mcp"), {
          ...init,
          headers: { Authorization: `Bearer ${store.key}`, "Content-Type": "application/json", ...init.headers },
        });
      const ping = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" });
      const origin = await send({ method: "POST", body: ping, headers: { Origin: "https://elsewhere.example.com" } });
      const other = await send({ method: "GET" });
      const batch = JSON.parse(await (await send({ method: "POST", body: `[${ping}]` })).text());
      const notification = await send({
        method: "POST",
        body: JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" }),
      });
      return `${origin.status} | The header \`Origin\` names a page of an origin that is not in \`PETSTORE_CORS_ORIGINS\`.\n${other.status} | Any method but \`POST\`.\nno request (${batch.error.code}), such as a batch\n${notification.status} | A notification. Nothing is done for it.`;
    },
  ],
  [
    "docs/testing.md",
    "the same seed, and a clock that stands still",
    async (store) => {
      const made = async () => {
        await using other = await startPetstore({ pets: 3, seed: 7, now: "2027-01-01T00:00:00Z" });
        return JSON.stringify([
          other.key,
          (await call(other, "/pets")).body,
          (await call(other, "/store/orders")).body,
        ]);
      };
      const [one, two] = [await made(), await made()];
      const same = one === two ? "the same" : "other";
      store.clock.freeze();
      const [first] = [store.clock.now().getTime()];
      await new Promise((resolve) => setTimeout(resolve, 5));
      const still = store.clock.now().getTime() === first ? "stands still" : "runs";
      return `The same \`seed\` gives ${same} pets, orders, ids and keys, and with \`now\` the same dates.\nTime ${still} until you move it`;
    },
  ],
  [
    "docs/rehearsal.md",
    "a delay, and what goes on",
    async (store) => {
      await call(store, "/pets", { body: PET, ...simulating("service_unavailable") });
      const nothing = (await call(store, "/pets")).body.length === 0;
      await call(store, "/pets", { body: PET, ...simulating("lost-answer") }).catch(() => undefined);
      const one = (await call(store, "/pets")).body.length === 1;
      return `The response is that error. The request does ${nothing ? "nothing else" : "its work"}.\nThe service ${one ? "does" : "does not do"} the work, durably, and closes the connection without an answer.`;
    },
  ],
  [
    "docs/quick-start.md",
    "the status of a pet that is added, ordered and delivered",
    async (store) => {
      const pet = await add(store);
      const { body: order } = await call(store, "/store/orders", { body: { petId: pet.id } });
      const status = async () => (await call(store, `/pets?ids=${pet.id}`)).body[0].status;
      const ordered = await status();
      const second = await call(store, "/store/orders", { body: { petId: pet.id } });
      for (const next of ["approved", "delivered"]) await patch(store, `/store/orders/${order.id}`, { status: next });
      return `\`status\` is \`${pet.status}\` unless you send another one.\nOrder the pet. It is then \`${ordered}\`, and ${second.status === 409 ? "nobody else" : "anybody"} can order it:\nThe pet is ${await status()}:`;
    },
  ],
  [
    "docs/deprecation.md",
    "the list of ids in place of getPet",
    async (store) => {
      const { key } = await store.createKey();
      const some = await call(store, "/pets?ids=4711,4712,4713", { key });
      const { used } = (await call(store, "/usage", { key })).body.minute;
      const statusOf = async (path: string) => {
        const { status, body } = await call(store, path);
        return `${status} \`${body.code}\``;
      };
      return `| Unknown pet | ${await statusOf("/pets/4711")} | ${some.status} and an empty array |\nbeyond int64 | ${await statusOf("/pets/abc")} | ${await statusOf("/pets?ids=abc")} |\n| Counts as | one request | ${used === 1 ? "one request, however many ids" : "one request for each id"} |`;
    },
  ],
  [
    "docs/events.md",
    "CloudEvents",
    async (store) => {
      await add(store);
      const [event] = (await call(store, "/events")).body;
      const [cloud] = (await call(store, "/events", { headers: { Accept: "application/cloudevents-batch+json" } }))
        .body;
      const same = ["id", "type", "subject", "data"].filter(
        (name) =>
          String(JSON.stringify(cloud[name])).replaceAll('"', "") ===
          String(JSON.stringify(event[name])).replaceAll('"', ""),
      );
      const time = Object.keys(event).find((name) => event[name] === cloud.time);
      const source = cloud.source === store.url ? "the base address" : "the subject";
      const others = Object.keys(cloud)
        .filter((name) => /^(version|requestid)$/.test(name))
        .toSorted()
        .toReversed();
      const last = same.at(-1);
      return `${same
        .slice(0, -1)
        .map((name) => `\`${name}\``)
        .join(
          ", ",
        )} and \`${last}\` are the same, \`time\` is \`${time}\`, \`source\` ${source}, and ${others.map((name) => `\`${name}\``).join(" and ")} are extensions.`;
    },
  ],
  [
    "docs/interface.md",
    "a connection that you close",
    async (store) => {
      const { headers } = await call(store, "/pets", { headers: { Connection: "close" } });
      return `If you send \`Connection: close\`, the response ${headers.get("Connection")?.toLowerCase() === "close" ? "has it too" : "does not have it"}.`;
    },
  ],
  [
    "docs/orders.md",
    "what an order has of its pet",
    async (store) => {
      const { id } = await add(store);
      const { body: order } = await call(store, "/store/orders", { body: { petId: id } });
      await patch(store, `/pets/${id}`, { name: "Max" });
      const { pet } = (await call(store, `/store/orders/${order.id}`)).body;
      const had = pet.name === "Rex" ? "had when it was ordered, also after it was changed or removed" : "has now";
      return `What was sold: the \`name\` and the \`categoryId\` that the pet ${had}.`;
    },
  ],
  [
    "docs/paging.md",
    "pages in both directions, and the last one",
    async (store) => {
      const ids = [];
      for (let at = 0; at < 3; at++) ids.push((await add(store)).id);
      const page = async (query: string) =>
        (await call(store, `/pets?${query}`)).body.map(({ id }: { id: number }) => id);
      const [up, down] = [await page(`after=${ids[1]}`), await page(`after=${ids[1]}&order=desc`)];
      const first = (await page("limit=1"))[0] === ids[0] ? "oldest" : "newest";
      const last = await call(store, `/pets?limit=1&after=${ids[1]}`);
      const none = await call(store, "/pets?status=pending");
      return `Only pets with a ${up[0] === ids[2] ? "greater" : "smaller"} id; with \`order=desc\`, a ${down[0] === ids[0] ? "smaller" : "greater"} id.\none page at a time: the ${first} first, or with \`order=desc\` the newest.\nFollow it until there is ${last.headers.has("Link") ? "an empty page" : "none"}. A list without matches is ${none.status} with \`${JSON.stringify(none.body)}\`.`;
    },
  ],
  [
    "docs/paging.md",
    "names by their beginning",
    async (store) => {
      const names = ["Rex", "Rexy", "Rex*", "Rex*y", "Rex\\", "Rex\\y", "Rax", "R*x"];
      for (const name of names) await add(store, { name, categoryId: 1 });
      const rows = [
        ...read("docs/paging.md").matchAll(
          /^\| `([^`]+)` \| (all names|names that begin with|the name) ?(?:`([^`]+)`)?(.*) \|$/gm,
        ),
      ];
      expect(rows).toHaveLength(6);
      for (const [, name = "", kind, text = ""] of rows) {
        const expected = names.filter(
          (one) => kind === "all names" || (kind === "the name" ? one === text : one.startsWith(text)),
        );
        const found = (await call(store, `/pets?name=${encodeURIComponent(name)}`)).body.map(
          (pet: { name: string }) => pet.name,
        );
        expect([name, found]).toEqual([name, expected]);
      }
      return "With `*` at the end, `name` finds the pets whose names begin with what stands before it:";
    },
  ],
  [
    "docs/agents.md",
    "what messages cost",
    async (store) => {
      const { key } = await store.createKey();
      const send = async (method: string, params: object = {}) =>
        await fetch(store.url.replace(/\/v1$/, "/mcp"), {
          method: "POST",
          headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
          body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
        });
      const used = async () => (await call(store, "/usage", { key })).body.minute.used;
      await send("tools/list");
      const free = await used();
      await send("tools/call", { name: "listPets", arguments: {} });
      const counted = (await used()) - free;
      const pets = { pets: [PET, PET] };
      await send("tools/call", { name: "createPets", arguments: pets });
      const batch = (await used()) - free - counted;
      await send("tools/call", { name: "getUsage", arguments: {} });
      const usageFree = (await used()) - free - counted - batch === 0;
      return `A call counts as its operation counts: ${counted === 1 ? "once" : "twice"}, \`createPets\` as the ${batch === 2 ? "number of its pets" : "one"}, \`getUsage\` and those about your key ${usageFree ? "not at all" : "once"}.\nAll other messages are ${free === 0 ? "free" : "counted"}, as`;
    },
  ],
  [
    "docs/changing-pets.md",
    "several ETags",
    async (store) => {
      const { id } = await add(store);
      const several = await patch(store, `/pets/${id}`, { name: "Max" }, { "If-Match": '"v77", "v1"' });
      return `\`If-Match\` ${several.status === 200 ? "may list several ETags" : "takes one ETag alone"};`;
    },
  ],
  [
    "docs/limits.md",
    "when a window opens",
    async (store) => {
      store.clock.freeze();
      store.clock.set("2027-01-01T00:00:30Z");
      const { key } = await store.createKey();
      await call(store, "/pets", { key });
      const { resetAt } = (await call(store, "/usage", { key })).body.minute;
      const [own, other] = ["the key's first request", "the clock's minute"];
      const [with_, without] = resetAt === "2027-01-01T00:01:30.000Z" ? [own, other] : [other, own];
      return `A window opens with ${with_}, not with ${without}, and ends on a whole second`;
    },
  ],
  [
    "docs/authentication.md",
    "a scope that is missing",
    async (store) => {
      const { key } = await store.createKey({ scopes: ["pets:read"] });
      const { status, headers } = await call(store, "/pets", { key, body: PET });
      const [, error, scope] = /error="(\w+)".*scope="([\w:]+)"/.exec(headers.get("WWW-Authenticate") ?? "") ?? [];
      return `On ${status} it contains \`error="${error}"\` and the ${scope === "pets:write" ? "missing" : "key's"} \`scope\`.`;
    },
  ],
  [
    "docs/errors.md",
    "a body that is too large",
    async (store) => {
      const { status, headers } = await call(store, "/pets", { body: { name: "a".repeat(70_000), categoryId: 1 } });
      expect(status).toBe(413);
      return `The service ${headers.get("Connection")?.toLowerCase() === "close" ? "closes" : "keeps"} the connection.`;
    },
  ],
  [
    "/openapi.json",
    "where a creation is",
    async (store) => {
      const { headers } = await call(store, "/pets", { body: PET });
      return `The ${headers.get("Location")?.startsWith(`${store.url}/`) ? "URL" : "path"} of what was created.`;
    },
  ],
  [
    "docs/testing.md",
    "credentials in the requests",
    async (store) => {
      await call(store, "/pets", { key: "pets_live_another" });
      const shown = store.requests.at(-1)?.headers.authorization ?? "";
      return `Credentials other than this store's keys are ${shown.includes("another") ? "shown" : "left out"}.`;
    },
  ],
  [
    "docs/rehearsal.md",
    "what a simulated refusal counts as",
    async (store) => {
      const { key } = await store.createKey({ plan: "free" });
      const strike = await call(store, "/pets", { key, ...simulating("rate_limit_exceeded") });
      await call(store, "/pets", { key, ...simulating("key_banned") });
      const { minute, day, strikes, ban } = (await call(store, "/usage", { key })).body;
      const real = await call(store, "/pets", { key });
      expect(strike.headers.get("Petstore-Simulated")).toBe("rate_limit_exceeded");
      return `A simulated refusal is ${strikes === 0 ? "no" : "a"} strike, and a simulated ban bans ${ban === null ? "nobody" : "the key"}.|The request counts in ${minute.used === 2 && day.used === 2 ? "both windows" : "no window"}, as every request does.|A response without it is ${real.headers.has("Petstore-Simulated") ? "simulated" : "real"}.`;
    },
  ],
  [
    "docs/testing.md",
    "what a reset keeps",
    async (store) => {
      const { url, key } = store;
      await add(store);
      store.fail.next("service_unavailable", { times: 3 });
      await call(store, "/pets");
      const { pending } = store.fail;
      store.fail.clear();
      await store.reset();
      const [address, secret] = [store.url === url ? "the same" : "another", store.key === key ? "the same" : "a new"];
      return `Everything as it was at the start, at ${address} address and with ${secret} \`key\`.|\`fail.pending\` counts what is ${pending === 2 ? "left" : "used"}, \`fail.clear()\` ${store.fail.pending === 0 ? "forgets" : "keeps"} it.`;
    },
  ],
  [
    "docs/agents.md",
    "the tools of an agent, and their arguments",
    async (store) => {
      const list = async (key: string) => {
        const response = await fetch(store.url.replace(/\/v1$/, "/mcp"), {
          method: "POST",
          headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
          body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" }),
        });
        const { result } = JSON.parse(await response.text());
        return result.tools as { name: string; inputSchema: { properties?: object } }[];
      };
      const all = await list((await store.createKey({ scopes: ["pets:read", "pets:write", "key:rotate"] })).key);
      const fewer = await list((await store.createKey({ scopes: ["events:read"] })).key);
      const names = all.map(({ name }) => name);
      expect([names.includes("getPet"), names.includes("rotateOwnKey")]).toEqual([false, false]);
      const headers = Object.keys(all.find(({ name }) => name === "createPet")?.inputSchema.properties ?? {});
      const form = headers.includes("idempotencyKey") ? "camel case" : "lower case";
      return `headers in ${form}: \`idempotencyKey\`|\`tools/list\` has the tools that the scopes of the key ${fewer.some(({ name }) => name === "createPet") ? "forbid" : "allow"}.|each operation of the interface is a tool, but for the deprecated getPet.|rotateOwnKey is no tool`;
    },
  ],
];

const operators = JSON.parse(toJson(administrationDocument("staging")));
/** All texts of an OpenAPI document. */
const textsIn = (document: unknown) =>
  objectsIn(document)
    .map(({ description }) => (typeof description === "string" ? description : ""))
    .join("\n");
const documented: Record<string, string> = {
  "/openapi.json": textsIn(published),
  "/admin/openapi.json": textsIn(operators),
};

/** A page, or the texts of an OpenAPI document, in one line. */
const textOf = (page: string) => inOneLine(documented[page] ?? read(page));

test.each(statements.map(([page, what, observe]) => ({ page, what, observe })))(
  "$page, beside a pet store: $what",
  async ({ page, observe }) => {
    await using store = await startPetstore({ pets: 0, orderExpiry: { hours: 1 } });
    for (const statement of (await observe(store)).split(/\n|\|(?! )/)) says(textOf(page), statement);
  },
);

type OperatorStatement = [text: string, what: string, observe: (operator: Client) => Promise<string>];
const KEY = { name: "Shop", plan: "pro" };
const timesOf = async (operator: Client, path: string, list: string) =>
  (await operator.get(path)).body[list].map(({ at }: { at: string }) => at) as string[];

/** Whether the bounds of a range are in it. */
async function boundsOf(operator: Client, path: string, list: string) {
  await service.advance({ seconds: 10 });
  await operator.post("/admin/v1/keys", KEY);
  await (await service.withKey()).get("/v1/pets");
  await eventually(async () => (await timesOf(operator, path, list)).length > 0);
  const [at = ""] = await timesOf(operator, path, list);
  const has = async (query: string) => (await timesOf(operator, `${path}?${query}`, list)).includes(at);
  const [from, to] = [await has(`from=${at}`), await has(`to=${at}`)];
  return { from: from ? "at or after" : "after", to: to ? "at or before" : "before" };
}

const forOperators: OperatorStatement[] = [
  [
    "/admin/openapi.json",
    "the bounds of a range of requests",
    async (operator) => {
      const { from, to } = await boundsOf(operator, "/admin/v1/requests", "requests");
      return `Only requests ${from} this time.|Only requests ${to} this time.`;
    },
  ],
  [
    "/admin/openapi.json",
    "the bounds of a range of the audit log",
    async (operator) => {
      const { from, to } = await boundsOf(operator, "/admin/v1/audit", "entries");
      return `Only changes ${from} this time.|Only changes ${to} this time.`;
    },
  ],
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
      says(textOf("docs/webhooks.md"), `Redeliver it: it is sent ${atOnce}, outside the order.`);
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
      says(textOf("docs/your-key.md"), `The last four characters of its ${which} secret.`);
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
        /((?:`petstore\.db\S+`,? (?:and )?){3})need not be put back/.exec(textOf("docs/data.md")) ?? [];
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
    const page = textOf("docs/administration.md");
    says(
      page,
      `Setting a simulation again replaces it and ${again}. Rotating, renaming or disabling the key ${kept} it, revoking the key ${ended} it.`,
    );
    says(
      textOf("docs/rehearsal.md"),
      `A request with a header \`Petstore-Simulate\` follows ${own.body.code === "quota_exceeded" ? "that instead" : "its key"}.`,
    );
    says(
      page,
      `does not count, and neither does one with a header \`Petstore-Simulate\` ${counted === 1 ? "of its own" : "alone"}.`,
    );
  });
});

test("what a request to the usage without a valid key counts for", async () => {
  const anonymous = service.anonymous();
  const left = async () => Number((await anonymous.get("/v1/usage")).headers.get("X-RateLimit-Remaining"));
  const counts = (await left()) === (await left()) + 1 ? "it counts for the client address" : "it counts nowhere";
  says(textOf("docs/usage.md"), `Without a valid key ${counts}, as every such request does.`);
});

test("whether probes count", async () => {
  const anonymous = service.anonymous();
  const left = async () => Number((await anonymous.get("/v1/pets")).headers.get("X-RateLimit-Remaining"));
  const before = await left();
  const [live, ready] = await Promise.all(["/livez", "/readyz"].map((path) => fetch(service.url + path)));
  const free = (await left()) === before - 1 ? "neither is" : "both are";
  says(
    textOf("docs/running.md"),
    `${live?.status === 200 && ready?.status === 200 ? "Neither needs" : "Each needs"} a key, and ${free} counted.`,
  );
});
