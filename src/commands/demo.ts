import { Command } from "commander";
import type { App } from "../adapters/http/app.ts";
import type { Connection } from "../adapters/http/request.ts";
import type { Listen } from "../adapters/listen/listener.ts";
import { IN_MEMORY } from "../adapters/sqlite/errors.ts";
import type { Author } from "../domain/audit.ts";
import { unavailable } from "../domain/errors.ts";
import { toJson } from "../domain/json.ts";
import { type Issued, KeyAdministration } from "../domain/keys/administration.ts";
import { defaultScopes, type Owner } from "../domain/keys/key.ts";
import { fixedSecret } from "../domain/keys/secret.ts";
import { type Limits, type Plan, plans } from "../domain/limits/limits.ts";
import { OperatorAdministration } from "../domain/operators.ts";
import { randomFrom } from "../domain/random.ts";
import { DEFAULT_PETS, DEFAULT_SEED, MAX_SEED, resetShop, sampleShop } from "../domain/shop.ts";
import { SIMULATE } from "../domain/simulation.ts";
import type { Clock } from "../domain/time.ts";
import { type AdminAddress, type Config, hostInUrl, readConfig } from "../wiring/config.ts";
import type { Stores } from "../wiring/stores.ts";
import { columnsOf } from "./lists.ts";
import { ignoredByDemo, MAX_PORT, wholeNumber } from "./options.ts";
import { count } from "./output.ts";
import { asRunInJson, quoted, thisRuntime } from "./program.ts";

const AUTHOR: Author = { operator: { name: "petstore demo" } };
/** Enterprise keys have custom limits. */
const ENTERPRISE: Limits = { perMinute: 10_000, perDay: 1_000_000 };

/** How many pets there are, and the seed of the sample shop. */
type DemoOptions = { pets: number; seed: number };

/** What a demo consists of. The secrets of its `keys` are the same in each demo; `calls` are those of the time before. */
type Demo = {
  keys: Issued[];
  calls: Call[];
  /** Ends what has ended, once the calls are sent. */
  retire: () => Promise<void>;
  operatorToken: string;
  pets: number;
  categories: number;
  orders: number;
};

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** A request before the start. None changes the shop: the same seed gives the same one. */
type Call = {
  at: number;
  key?: string;
  agent?: string;
  method?: string;
  path: string;
  body?: string;
  simulate?: string;
};

/** A program with a key, which sends about so many requests per hour. Those that `asks` names first are the most frequent. */
type Caller = {
  name: string;
  owner: Owner;
  plan: Plan;
  agent?: string;
  /** How long ago its key ended, and how; it sends nothing from then on. */
  ended?: { ago: number; how: "disabled" | "expired" | "revoked" };
  perHour: number;
  /** `id` is that of a pet. */
  asks: (id: number) => Omit<Call, "at" | "key">[];
};

const INES = { name: "Ines Calder", email: "ines@shop.example" };
const TOM = { name: "Tom Okafor", email: "tom@shop.example" };
const READING = (id: number) => [{ path: "/pets?limit=20" }, { path: `/pets?ids=${id}` }, { path: "/categories" }];

/** Those with the keys that the demo prints. */
const printed = plans.map((plan, i): Caller => {
  const owner = { name: "You", email: "you@example.com" };
  return { name: `demo ${plan}`, owner, plan, perHour: 1 + i, asks: READING };
});

const callers: Caller[] = [
  {
    ...{ name: "Shop website", owner: INES, plan: "business", perHour: 40 },
    asks: (id) => [
      { path: "/pets?status=available&limit=50" },
      { path: `/pets?ids=${id}` },
      { path: "/categories" },
      { path: "/store/inventory" },
      { path: "/store/orders?order=desc" },
      { method: "PATCH", path: `/pets/${id}`, body: "{}" },
      { method: "POST", path: "/store/orders", body: '{"petId": 999999}' },
    ],
  },
  {
    ...{ name: "Mobile app", owner: INES, plan: "pro", perHour: 14 },
    asks: (id) => [
      { path: "/pets?limit=100" },
      { path: `/pets?categoryId=${(id % 9) + 1}` },
      { path: "/pets?limit=0" },
      { method: "POST", path: "/pets", body: '{"name": "Rex"}' },
    ],
  },
  {
    ...{ name: "Old till", owner: TOM, plan: "pro", perHour: 8, agent: "till/2.3" },
    asks: (id) => [{ path: `/pets/${id}` }, { path: `/store/orders/${id}` }],
  },
  {
    ...{ name: "Integration tests", owner: TOM, plan: "free", perHour: 4 },
    asks: () => [
      { path: "/pets", simulate: "service_unavailable" },
      { path: "/pets", simulate: "rate_limit_exceeded" },
      { path: "/categories", simulate: "internal_error" },
    ],
  },
  { name: "Retry rehearsal", owner: TOM, plan: "pro", perHour: 3, asks: READING },
  {
    ...{ name: "Christmas market", owner: INES, plan: "pro", perHour: 5, asks: READING },
    ended: { ago: 2 * DAY, how: "disabled" },
  },
  {
    ...{ name: "Trial", owner: TOM, plan: "free", perHour: 2, asks: READING },
    ended: { ago: 3 * DAY, how: "expired" },
  },
  {
    ...{ name: "Lost laptop", owner: TOM, plan: "pro", perHour: 4, asks: READING },
    ended: { ago: 6 * DAY, how: "revoked" },
  },
];
/** The one whose requests an operator has answered with errors. */
const REHEARSING = "Retry rehearsal";

/** It sends no more than in its bursts. */
const crawler: Caller = {
  name: "Price crawler",
  owner: { name: "Crawl Ltd", email: "bot@crawl.example" },
  plan: "free",
  perHour: 0,
  asks: () => [],
};
/** How long ago they began: after bans of 5 minutes, 15 minutes and an hour, the fourth lasts a day. */
const BURSTS = [6 * HOUR, 4 * HOUR, 2.5 * HOUR, 0.5 * HOUR];
/** The plan allows 60 requests; 100 refusals from two seconds later on are a ban. */
const BURST = 220;
const BURST_INTERVAL = 100;

/** In the last minutes there are 60 times as many, so that the live figures show some. */
const RUSH = 5 * MINUTE;

/** How long ago the first requests were, and the first key. */
const HISTORY = 30 * DAY;
const KEY_AGE = HISTORY + DAY;

/** When the inventory could not be read, so that the day has responses of 5xx: how long ago that began, and how long it took. */
const OUTAGE = { ago: 3.2 * HOUR, length: 8 * MINUTE, calls: 24 };

/** How often callers send requests at a time of the day: by day more than at night. */
const activityAt = (time: number) => 1 - 0.8 * Math.cos(((time % DAY) / DAY) * 2 * Math.PI);

/** The calls before `now` by callers with these keys, in order: those of a day, and a share for each day before it. */
function callsOf(keys: [Caller, string][], { pets, seed }: DemoOptions, now: number): Call[] {
  const random = randomFrom(seed);
  const start = now - DAY;
  const calls: Call[] = [];
  for (const [caller, key] of keys) {
    const { agent, ended } = caller;
    const end = now - (ended?.ago ?? 0);
    const call = (at: number) => {
      const asked = caller.asks(1 + Math.floor(random() * Math.max(1, pets)));
      const chosen = asked[Math.floor(random() ** 2 * asked.length)];
      if (chosen !== undefined && at < end) calls.push({ ...chosen, at, key, ...(agent !== undefined && { agent }) });
    };
    for (let day = now - HISTORY; day < start; day += DAY)
      for (let left = caller.perHour * (0.3 + random()); left > 0; left--) call(day + Math.floor(random() * DAY));
    for (let step = MINUTE, at = start; at < now; at += step) {
      if (at >= now - RUSH) step = SECOND;
      if (random() >= (caller.perHour / 60) * activityAt(at)) continue;
      call(at + Math.floor(random() * step));
    }
    for (const ago of caller === crawler ? BURSTS : [])
      for (let sent = 0; sent < BURST; sent++)
        calls.push({ path: "/pets?limit=100", at: now - ago + sent * BURST_INTERVAL, key });
  }
  const [, website] = keys.find(([{ plan }]) => plan === "business") ?? [];
  for (let sent = 0; sent < OUTAGE.calls && website !== undefined; sent++) {
    const at = now - OUTAGE.ago + (sent * OUTAGE.length) / OUTAGE.calls;
    calls.push({ path: "/store/inventory", at, key: website });
  }
  // Without a key.
  for (let at = start; at < now; at += 3 * HOUR) calls.push({ path: "/pets", at });
  return calls.filter(({ at }) => at < now).sort((a, b) => a.at - b.at);
}

/** A listener whose apps are called here, before those that connect to it: with a clock that the calls set. */
function pastTraffic(listenNow: Listen, start: number) {
  const apps: App[] = [];
  const { promise: opened, resolve: open } = Promise.withResolvers<void>();
  let isOpen = false;
  let time = start;
  const listen: Listen = (appOn, address) =>
    listenNow((port) => {
      const app = appOn(port);
      apps.push(app);
      const respond: App["respond"] = (request, connection) =>
        isOpen ? app.respond(request, connection) : opened.then(() => app.respond(request, connection));
      return { ...app, respond };
    }, address);
  const clock: Clock = () => (isOpen ? Date.now() : time);
  /** Sends the calls to the public interface, each at its time. From then on it is now. */
  const replay = async (calls: Call[]): Promise<void> => {
    for (const { at, key, agent, method = "GET", path, body, simulate } of calls) {
      time = at;
      const headers = {
        ...(key !== undefined && { Authorization: `Bearer ${key}` }),
        ...(agent !== undefined && { "User-Agent": agent }),
        ...(body !== undefined && { "Content-Type": "application/json" }),
        ...(simulate !== undefined && { [SIMULATE]: simulate }),
      };
      const request = { method, url: `/v1${path}`, headers: new Headers(headers), body: Buffer.from(body ?? "") };
      await apps[0]?.respond(request, ELSEWHERE);
    }
    isOpen = true;
    open();
  };
  return { listen, clock, replay };
}

/** The connection of a client, on an address for documentation (RFC 5737). */
const ELSEWHERE: Connection = { address: () => "203.0.113.7", signal: new AbortController().signal };

/** Fills an empty store of staging with a sample shop, a key of each plan and of each caller, and an operator. */
async function fillDemo(
  { shop, pets, keys, operators }: Pick<Stores, "shop" | "pets" | "keys" | "operators">,
  options: DemoOptions,
  now: number,
  clock: Clock,
): Promise<Demo> {
  const sample = sampleShop({ ...options, now });
  const { firstPetId, ...counts } = await resetShop(shop, "staging", sample, { by: AUTHOR, now });
  failDuring(pets, { from: now - OUTAGE.ago, to: now - OUTAGE.ago + OUTAGE.length }, clock);
  const administration = new KeyAdministration(keys, "staging", AUTHOR);
  const create = ({ name, owner, plan, ended }: Caller, at: number, secret?: string) => {
    const limits = plan === "enterprise" ? ENTERPRISE : undefined;
    const expiresAt = ended?.how === "expired" ? now - ended.ago : undefined;
    return administration.create({ name, owner, plan, limits, expiresAt, scopes: [...defaultScopes] }, at, secret);
  };
  const fixed = (caller: Caller) =>
    create(caller, now - KEY_AGE + HOUR, fixedSecret("staging", caller.name.replace(" ", "")));
  const issued = await Promise.all(printed.map(fixed));
  const others = [...callers, crawler];
  const created = await Promise.all(others.map((caller) => create(caller, now - KEY_AGE)));
  const secrets = [...issued, ...created].map(({ secret }) => secret);
  const calls = callsOf(
    [...printed, ...others].map((caller, i) => [caller, secrets[i] ?? ""]),
    options,
    now,
  );
  const retire = async () => {
    for (const [i, { name, ended }] of others.entries()) {
      const id = created[i]?.key.id ?? "";
      const at = now - (ended?.ago ?? 0);
      if (ended?.how === "disabled") await administration.update(id, { disabled: true }, at);
      if (ended?.how === "revoked") await administration.revoke(id, at);
      if (name === REHEARSING) await administration.simulate(id, { answer: "service_unavailable", every: 4 }, at);
    }
  };
  const { token } = await new OperatorAdministration(operators, AUTHOR).create("demo", "admin", now);
  return { keys: issued, calls, retire, operatorToken: token, ...counts };
}

/** Has the inventory fail in a time that is over, as it does without a database. */
function failDuring(pets: Stores["pets"], { from, to }: { from: number; to: number }, clock: Clock): void {
  const inventory = pets.inventory.bind(pets);
  pets.inventory = () => {
    const now = clock();
    if (now >= from && now < to) throw unavailable(new Error("a past outage"));
    return inventory();
  };
}

/** A demo, its seed, and where it is called; `adminPort` is the actual port of the console. */
type RunningDemo = Omit<Demo, "calls" | "retire"> & {
  seed: number;
  baseUrl: string;
  admin: AdminAddress | undefined;
  adminPort: number | undefined;
};

/** What a person needs to use a demo. */
export function demoText(demo: RunningDemo): string {
  const { baseUrl, keys, operatorToken, seed } = demo;
  const { documentation, console } = addressesOf(demo);
  const addresses = [
    ["API", baseUrl],
    ["Documentation", documentation],
    ["Console", console ?? "off"],
    ...(console === undefined ? [] : [["  token", operatorToken]]),
  ];
  const limits = keys.map(({ key, secret }) => {
    const { perMinute, perDay } = key.limits;
    return [key.plan, secret, `${perMinute.toLocaleString("en")} a minute, ${perDay.toLocaleString("en")} a day`];
  });
  const secret = keys.at(-1)?.secret;
  return `
  A pet store for staging, in memory: everything is gone when it ends.

${indented(columnsOf(addresses))}

  It has ${contentsOf(demo)}, and 30 days of requests by
  other callers: seed ${seed} gives the same ones.

  Keys, which are the same at each start:

${indented(columnsOf(limits))}

  Try it:

    curl -H "Authorization: Bearer ${secret}" ${quoted(`${baseUrl}/pets?limit=3`)}

  See what a failure looks like:

    curl -i -H "Authorization: Bearer ${secret}" -H "Petstore-Simulate: service_unavailable" ${quoted(`${baseUrl}/pets`)}

  Ctrl-C ends it.
`;
}

/** The same for a program. */
function demoJson(demo: RunningDemo): object {
  const { baseUrl, keys, operatorToken, pets, categories, orders, seed } = demo;
  return {
    url: baseUrl,
    ...addressesOf(demo),
    keys: Object.fromEntries(keys.map(({ key, secret }) => [key.plan, secret])),
    operatorToken,
    pets,
    categories,
    orders,
    seed,
  };
}

function addressesOf({ baseUrl, admin, adminPort }: RunningDemo): { documentation: string; console?: string } {
  const documentation = new URL("../docs", `${baseUrl}/`).href;
  if (admin === undefined || adminPort === undefined) return { documentation };
  return { documentation, console: `http://${hostInUrl(admin.host)}:${adminPort}/console` };
}

function contentsOf({ pets, categories, orders }: RunningDemo): string {
  return `${count(pets, ["pet", "pets"])}, ${count(categories, ["category", "categories"])} and ${count(orders, ["order", "orders"])}`;
}

function indented(text: string): string {
  return text.replace(/^/gm, "    ");
}

/** More pets take seconds to add. */
const MAX_PETS = 100_000;

type DemoCommandOptions = DemoOptions & { port?: number; json?: boolean };

export function demoCommand(): Command {
  return new Command("demo")
    .description("Run a staging service in memory, with sample data and 30 days of requests, until SIGTERM or SIGINT.")
    .option(
      "--port <number>",
      "port to listen on; 0 takes any free port (default: PORT, or 8090)",
      wholeNumber(0, MAX_PORT),
    )
    .option("--pets <number>", "number of pets", wholeNumber(0, MAX_PETS), DEFAULT_PETS)
    .option("--seed <number>", "the same seed gives the same data", wholeNumber(0, MAX_SEED), DEFAULT_SEED)
    .option("--json", "print the addresses, the keys and the operator's token as one line of JSON")
    .addHelpText("after", HELP)
    .action(demo);
}

const HELP = `
Nothing is on disk, and everything is gone when the demo ends. The keys are
the same at each start. Settings of the database, its backups, Redis, the
deployment and its base address are ignored.

Examples:
  petstore demo
  petstore demo --port 9000 --pets 1000 --seed 7`;

async function demo({ port, json, ...options }: DemoCommandOptions): Promise<void> {
  const config = demoConfig(port);
  // Loaded only here: the other commands need neither.
  const [{ startService }, { createLog }] = await Promise.all([
    import("../wiring/service.ts"),
    import("../wiring/log.ts"),
  ]);
  const runtime = await thisRuntime();
  const now = Date.now();
  const traffic = pastTraffic(runtime.listen, now - HISTORY);
  const log = await createLog(config.logLevel, process.stdout.isTTY, asRunInJson);
  let filled: Demo | undefined;
  const { baseUrl, adminPort } = await startService(
    config,
    log,
    // No command reaches its database.
    { ...runtime, listen: traffic.listen, operatorCommand: undefined },
    {
      clock: traffic.clock,
      portRemedy: "Use --port with another port, or 0 for any free one.",
      addressRemedy: "set HOST to the address by which they call this machine",
      fill: async (stores) => {
        filled = await fillDemo(stores, options, now, traffic.clock);
      },
    },
  );
  // Nothing is to be saved, and nobody waits for what is in flight.
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => process.exit(0));
  if (filled === undefined) return;
  // What went wrong then is no news.
  log.level = "silent";
  await traffic.replay(filled.calls);
  await filled.retire();
  log.level = config.logLevel;
  const running = { ...filled, seed: options.seed, baseUrl, admin: config.admin, adminPort };
  process.stdout.write(json ? `${toJson(demoJson(running))}\n` : demoText(running));
}

/** The configuration that the environment gives, with a database in memory, and warnings as the only log. */
function demoConfig(port: number | undefined): Config {
  const config = readConfig({
    PETSTORE_ADMIN_PORT: "0",
    PETSTORE_LOG_LEVEL: "warn",
    ...nonEmpty(process.env),
    ...Object.fromEntries(ignoredByDemo.map((name) => [name, undefined])),
    PETSTORE_DEPLOYMENT: "staging",
    ...(port !== undefined && { PORT: String(port) }),
  });
  return { ...config, database: { engine: "sqlite", path: IN_MEMORY } };
}

/** Empty variables count as not set. */
function nonEmpty(environment: Record<string, string | undefined>): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(environment).filter(([, value]) => value?.trim()));
}
