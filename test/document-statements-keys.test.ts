/** As document-statements.test.ts, of the pages about keys, limits and errors. */
import { expect } from "bun:test";
import { add, observed, PET, simulating, usage } from "./support/statements.ts";
import { call } from "./testing/call.ts";

observed([
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
    "docs/limits.md",
    "the example of two windows",
    async (store) => {
      store.clock.freeze();
      const { key } = await store.createKey({ plan: "free" });
      const at = async (time: string) => {
        store.clock.set(`2027-01-01T${time}Z`);
        return await call(store, "/pets", { key });
      };
      const windows = async () => {
        const { minute, day } = (await call(store, "/usage", { key })).body;
        return { minute, day };
      };
      await at("10:00:07.400");
      const { minute, day } = await windows();
      const time = (text: string) => text.slice(11, 19);
      for (let more = 0; more < 59; more++) await at("10:00:20");
      const { status, headers } = await at("10:00:50");
      const after = await windows();
      expect([status, after.minute.used, after.day.used]).toEqual([429, 60, 60]);
      store.clock.set("2027-01-01T10:01:10Z");
      const between =
        (await windows()).minute.resetAt === null ? "No minute window is open" : "A minute window is open";
      await at("10:01:52");
      const { minute: next, day: later } = await windows();
      expect([time(next.resetAt), later.used]).toEqual(["10:02:52", 61]);
      const until =
        day.resetAt === later.resetAt && day.resetAt.startsWith("2027-01-02T") ? "the next day" : "that day";
      return `The minute window ends at ${time(minute.resetAt)}, a whole second. Its 61st request, at 10:00:50, is refused with Retry-After ${headers.get("Retry-After")} and counts in ${after.minute.used === 60 ? "neither window" : "both windows"}. ${between} until the next request, at 10:01:52. The day window counts on, until ${time(later.resetAt)} ${until}.`;
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
]);
