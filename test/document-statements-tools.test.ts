/** As document-statements.test.ts, of agents, tests and the OpenAPI document. */
import { expect } from "bun:test";
import { startPetstore } from "../src/testing.ts";
import { read } from "./support/markdown.ts";
import { add, observed, PET, patch, usage } from "./support/statements.ts";
import { call } from "./testing/call.ts";

observed([
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
    "/openapi.json",
    "what can remove an order",
    async (store) => {
      const response = await call(store, "/store/orders/1", { method: "DELETE" });
      const only = response.status === 405 ? "only happens to old orders" : "happens to orders";
      return `\`order.deleted\` ${only}, and when staging is reset.`;
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
    "docs/agents.md",
    "the key of an agent that only reads",
    async (store) => {
      const [, name = "", scopes = ""] = /--name "([^"]+)".* --scopes (\S+)/.exec(read("docs/agents.md")) ?? [];
      const { key } = await store.createKey({ scopes: scopes.split(",") as [] });
      const response = await fetch(store.url.replace(/\/v1$/, "/mcp"), {
        method: "POST",
        headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" }),
      });
      const { tools } = JSON.parse(await response.text()).result;
      const isReading = tools.every(
        (tool: { annotations?: { readOnlyHint?: boolean } }) => tool.annotations?.readOnlyHint,
      );
      expect(tools.length).toBeGreaterThan(3);
      return isReading ? `--name "Agent that only reads"` : `--name "${name} no more"`;
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
    "docs/testing.md",
    "which members of a pet store return a promise",
    async (store) => {
      const results: [name: string, result: unknown][] = [
        ["`createKey`", store.createKey()],
        ["`createPet`", store.createPet(PET)],
        ["the methods of `events`", store.events.list()],
        ["the methods of `events`", store.events.waitFor({})],
        ["`fail`", store.fail.next("internal_error")],
        ["`fail`", store.fail.clear()],
        ["`clock`", store.clock.advance({ seconds: 1 })],
        ["`clock`", store.clock.now()],
        ["`requests`", store.requests],
      ];
      await Promise.all(results.map(([, result]) => result));
      for (const end of ["reset", "close"] as const) {
        const result = store[end]();
        results.push([`\`${end}\``, result]);
        await result;
      }
      const names = [...new Set(results.filter(([, result]) => result instanceof Promise).map(([name]) => name))];
      return `${names.join(", ").replace(/, (?=[^,]*$)/, " and ")} return a promise. All other members are there at once.`;
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
]);
