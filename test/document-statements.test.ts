/** What a document says of the service's behaviour, in words that could be their opposite, is what a running service does. */
import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { openApi } from "./support/descriptions.ts";
import { eventually } from "./support/eventually.ts";
import { pages, read, says, states } from "./support/markdown.ts";
import { signIn } from "./support/operator.ts";
import { useService } from "./support/use-service.ts";

const service = useService();
const headersOf = (name: string) => JSON.stringify(openApi.clients.components.headers[name]);

test("which limit the headers show, and what the letters of RateLimit mean", async () => {
  const limitShown = async (perMinute: number, perDay: number) => {
    const client = await service.withKey({ plan: "enterprise", limits: { perMinute, perDay } });
    return (await client.get("/v1/pets")).headers;
  };
  const uneven = await limitShown(10, 5);
  const shown = uneven.get("X-RateLimit-Limit") === "5" ? "fewer" : "more";
  states("docs/limits.md", `The limit of the window with ${shown} requests left.`);
  says(headersOf("XRateLimitLimit"), `The limit of the window with ${shown} requests remaining`);
  const even = await limitShown(5, 5);
  const isDay = Number(even.get("X-RateLimit-Reset")) - service.now / 1_000 > 60;
  states("docs/limits.md", `If both have the same number left, the window that ends ${isDay ? "later" : "sooner"}.`);

  const letters = (header: string) => {
    const [, first = "", one, second = ""] = /"day";(\w)=(\d+);(\w)=\d+/.exec(uneven.get(header) ?? "") ?? [];
    return one === "5" || one === "4" ? [first, second] : [second, first];
  };
  const [q, w] = letters("RateLimit-Policy");
  const [r, t] = letters("RateLimit");
  states("docs/limits.md", `\`${q}\` requests in \`${w}\` seconds.`);
  states("docs/limits.md", `\`${r}\` requests left for \`${t}\` more seconds`);
  says(headersOf("RateLimitPolicy"), `\`${q}\` requests in \`${w}\` seconds`);
  says(headersOf("RateLimit"), `\`${r}\` requests remain for \`${t}\` more seconds`);
});

test("what a condition does that is malformed, or names any state", async () => {
  const client = await service.withKey();
  const { body: pet } = await client.post("/v1/pets", { name: "Rex", categoryId: 1 });
  const status = async (headers: Record<string, string>, id = pet.id) =>
    (await client.patch(`/v1/pets/${id}`, { name: "Rex" }, headers)).status;
  const page = "docs/changing-pets.md";
  states(page, `${(await status({ "If-Match": "*" })) === 200 ? "`*` matches any that exists" : "`*` matches none"}.`);
  states(
    page,
    `has more than 256 elements, matches ${(await status({ "If-Match": "v1" })) === 412 ? "nothing: 412" : "all"}.`,
  );
  states(
    page,
    `A malformed header is ${(await status({ "If-None-Match": "v1" })) === 412 ? "read as `*`" : "ignored"}.`,
  );
  const reads = await client.get(`/v1/pets?ids=${pet.id}`, { "If-Match": '"v77"' });
  states(page, reads.status === 200 ? "Reads ignore `If-Match`." : "Reads take `If-Match`");
});

test("what an event has of something that was removed", async () => {
  const client = await service.withKey();
  const { body: pet } = await client.post("/v1/pets", { name: "Gone", categoryId: 1 });
  await client.delete(`/v1/pets/${pet.id}`);
  const { body: events } = await client.get(`/v1/events?subject=pets/${pet.id}`);
  const [created, removed] = events;
  const page = "docs/events.md";
  const data = JSON.stringify(removed.data) === JSON.stringify(pet) ? "its last state" : "null";
  states(page, `The pet, category or order after the change; ${data} once it was removed.`);
  states(page, `which grows with each change. A removal is ${removed.version > created.version ? "one" : "none"}.`);
});

test("what a key in another place, a scheme in other letters and an unknown id get", async () => {
  const { secret } = await service.createKey();
  const at = (path: string, headers: [string, string][] = []) => fetch(`${service.url}${path}`, { headers });
  const inQuery = await at(`/v1/pets?key=${secret}`);
  const lower = await at("/v1/pets", [["Authorization", `bEARER ${secret}`]]);
  const page = "docs/authentication.md";
  states(page, `The scheme's name is ${lower.status === 200 ? "case-insensitive" : "case-sensitive"}.`);
  states(
    page,
    `A key in the query string and a second \`Authorization\` header are ${inQuery.status === 401 ? "refused" : "accepted"}.`,
  );
  const unknown = await at("/v1/pets", [["Authorization", "Bearer pets_live_typo"]]);
  const missing = await at("/v1/pets");
  const said = (response: Response) => /error="\w+"/.exec(response.headers.get("WWW-Authenticate") ?? "")?.[0];
  expect(said(missing)).toBeUndefined();
  states(page, `If you sent a key that is not valid, \`WWW-Authenticate\` contains \`${said(unknown)}\`.`);
});

test("which secrets are stored as hashes, and which as they are", async () => {
  states("SECURITY.md", "Tokens and sessions are protected like keys: 190 random bits, stored as SHA-256");
  states(
    "docs/webhooks.md",
    "Secrets are stored as they are, because the service signs with them. Anyone who reads the database or a backup can sign, too.",
  );
  states("docs/administration.md", "The database has only their SHA-256.");
  const { secret } = await service.createKey();
  const { token, client: operator } = await service.withOperator("admin");
  const { cookie } = await signIn(service, token);
  const hook = await operator.post("/admin/v1/webhooks", { url: "https://shop.invalid/" });
  if (service.store.engine !== "sqlite") return;
  const files = readdirSync(service.store.directory).filter((name) => /\.db(-wal)?$/.test(name));
  const bytes = files.map((name) => readFileSync(join(service.store.directory, name), "latin1")).join();
  const stored = (text: string) => bytes.includes(text);
  states("docs/webhooks.md", `Secrets are stored as ${stored(hook.body.secret) ? "they are" : "hashes"},`);
  await operator.post("/admin/v1/backups", {});
  const backups = () => readdirSync(join(service.store.directory, "backups")).filter((name) => name.endsWith(".db"));
  await eventually(async () => (await operator.get("/admin/v1/backups")).body.backups.length > 0);
  const [backup = ""] = backups();
  const copied = readFileSync(join(service.store.directory, "backups", backup), "latin1").includes(hook.body.secret);
  states("docs/webhooks.md", `Anyone who reads the database ${copied ? "or a backup " : ""}can sign, too.`);
  states("docs/data.md", stored(secret) ? "the key is stored" : "only its SHA-256 is stored");
  states("docs/administration.md", stored(token) ? "The token is stored" : "Only its SHA-256 is stored.");
  expect(stored(cookie.split("=")[1] ?? "")).toBe(false);
  states("SECURITY.md", stored(secret) ? "The key is stored" : "API keys at rest | Only the SHA-256 is stored.");
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
test("what a request to the usage without a valid key counts for", async () => {
  const anonymous = service.anonymous();
  const left = async () => Number((await anonymous.get("/v1/usage")).headers.get("X-RateLimit-Remaining"));
  const counts = (await left()) === (await left()) + 1 ? "it counts for the client address" : "it counts nowhere";
  states("docs/usage.md", `Without a valid key ${counts}, as every such request does.`);
});

test("whether probes count", async () => {
  const anonymous = service.anonymous();
  const left = async () => Number((await anonymous.get("/v1/pets")).headers.get("X-RateLimit-Remaining"));
  const before = await left();
  const [live, ready] = await Promise.all(["/livez", "/readyz"].map((path) => fetch(service.url + path)));
  const free = (await left()) === before - 1 ? "neither is" : "both are";
  states(
    "docs/running.md",
    `${live?.status === 200 && ready?.status === 200 ? "Neither needs" : "Each needs"} a key, and ${free} counted.`,
  );
});
