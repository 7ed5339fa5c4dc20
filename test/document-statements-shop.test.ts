/** As document-statements.test.ts, of the pages about pets, categories, orders and events. */
import { expect } from "bun:test";
import { read } from "./support/markdown.ts";
import { add, observed, PET, patch } from "./support/statements.ts";
import { call } from "./testing/call.ts";

observed([
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
      const { body: other } = await call(store, "/store/orders", { body: { petId: id } });
      const approved = (await patch(store, `/store/orders/${other.id}`, { status: "approved" })).body;
      const delivered = (await patch(store, `/store/orders/${other.id}`, { status: "delivered" })).body;
      const states = [order, other, approved, delivered, cancelled.body];
      const expiring = new Set(states.flatMap(({ status, expiresAt }) => (expiresAt === undefined ? [] : [status])));
      return `the pet becomes \`${pet.status}\`, in the same transaction, and both changes are events. To cancel an order that has expired is ${cancelled.status === 200 ? "no error" : "an error"}: the response is ${cancelled.status} with the order as it is.|Such an order has \`expiresAt\` while it is \`${[...expiring].join("`, `")}\`.`;
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
    "docs/changing-pets.md",
    "several ETags",
    async (store) => {
      const { id } = await add(store);
      const several = await patch(store, `/pets/${id}`, { name: "Max" }, { "If-Match": '"v77", "v1"' });
      return `\`If-Match\` ${several.status === 200 ? "may list several ETags" : "takes one ETag alone"};`;
    },
  ],
]);
