import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { demoText } from "../../src/commands/demo.ts";
import { formOf } from "../../src/domain/keys/secret.ts";
import type { Plan } from "../../src/domain/limits/limits.ts";
import { bearer } from "../support/client.ts";
import { besideLoad, eventually } from "../support/eventually.ts";
import { states } from "../support/markdown.ts";
import { freePort } from "../support/ports.ts";
import { commandFor } from "../support/runtime.ts";
import { temporaryDirectory } from "../support/temporary.ts";

const [PROGRAM, ...OPTIONS] = commandFor(fileURLToPath(new URL("../../src/main.ts", import.meta.url)));

type Printed = {
  url: string;
  documentation: string;
  console: string;
  keys: Record<string, string>;
  operatorToken: string;
  pets: number;
  categories: number;
  orders: number;
  seed: number;
};
type Demo = Printed & { process: ChildProcessWithoutNullStreams; directory: string };
type Item = { id: number; name: string };

/** Runs `petstore demo` in an empty directory, in an environment that names a database and a deployment of its own. */
function startDemo(
  args: string[],
  env: Record<string, string> = {},
): { child: ChildProcessWithoutNullStreams; directory: string } {
  const directory = temporaryDirectory();
  const settings = {
    PETSTORE_DEPLOYMENT: "production",
    DATABASE_URL: "sqlite:data/petstore.db",
    REDIS_URL: "redis://x:1",
    PETSTORE_STAGING_BASE_URL: "https://staging.example.com/v1",
    PETSTORE_BACKUP_EVERY: "1h",
    // Alone it is an error: it has no credentials.
    PETSTORE_BACKUP_S3: "s3://backups",
  };
  const child = spawn(PROGRAM, [...OPTIONS, "demo", ...args], {
    cwd: directory,
    env: { PATH: process.env.PATH, ...settings, ...env },
  });
  return { child, directory };
}

/** Starts a demo on a free port, and reads its line of JSON. */
async function runDemo(...args: string[]): Promise<Demo> {
  const { child, directory } = startDemo(["--port", "0", "--json", ...args]);
  const [line] = await once(createInterface({ input: child.stdout }), "line");
  return { ...JSON.parse(line), process: child, directory };
}

async function end(
  { process: child }: Pick<Demo, "process">,
  signal: NodeJS.Signals = "SIGTERM",
): Promise<number | null> {
  const exited = once(child, "exit");
  child.kill(signal);
  await exited;
  return child.exitCode;
}

const get = (url: string, secret: string) => fetch(url, { headers: bearer(secret) });
const list = async (demo: Demo, path: string): Promise<Item[]> =>
  (await get(`${demo.url}${path}`, String(demo.keys.business))).json();

describe("petstore demo", () => {
  let demo: Demo;
  let other: Demo;
  beforeAll(async () => {
    [demo, other] = await Promise.all([runDemo(), runDemo("--seed", "7", "--pets", "20")]);
  });
  afterAll(() => Promise.all([end(demo), end(other)]));

  test("has 200 pets, their categories and orders", async () => {
    states("docs/commands.md", "`petstore demo` | Runs a demo: a service of staging in memory, with sample data.");
    states("docs/running.md", "200 pets in 9 categories, their orders");
    states("docs/quick-start.md", "`petstore demo` runs one with sample data,");
    const pets = [...(await list(demo, "/pets?limit=100")), ...(await list(demo, "/pets?limit=100&after=100"))];
    expect(pets.map(({ id }) => id)).toEqual(Array.from({ length: 200 }, (_, i) => i + 1));
    expect(await list(demo, "/categories")).toHaveLength(9);
    expect(await list(demo, "/store/orders?limit=100")).toHaveLength(demo.orders);
    expect([demo.pets, demo.categories, demo.seed, other.pets, other.seed]).toEqual([200, 9, 1, 20, 7]);
    const inventory = await (await get(`${demo.url}/store/inventory`, String(demo.keys.free))).json();
    expect(inventory).toEqual({ available: 118, pending: 31, sold: 51 });
  });

  test("has a key for each plan, whose text is always the same", async () => {
    states("docs/running.md", "Anyone knows them: let only your own clients reach a demo.");
    states("docs/testing.md", "Its keys are the same at each start,");
    states(
      "docs/running.md",
      "a key for each plan,",
      "The texts of the keys are the same at each start: `pets_stag_demofree…`, `pets_stag_demopro…`, `pets_stag_demobusiness…` and `pets_stag_demoenterprise…`.",
    );
    expect(demo.keys).toEqual({
      free: "pets_stag_demofree000000000000000000000000_3eJMXk",
      pro: "pets_stag_demopro0000000000000000000000000_1z3LJ4",
      business: "pets_stag_demobusiness00000000000000000000_2rz5DW",
      enterprise: "pets_stag_demoenterprise000000000000000000_0Vc1FY",
    });
    const limits = { free: 60, pro: 300, business: 1_000, enterprise: 10_000 };
    for (const [plan, secret] of Object.entries(demo.keys)) {
      expect(formOf(secret, "staging")).toBe("genuine");
      const response = await get(`${demo.url}/categories`, secret);
      expect({ plan, status: response.status }).toEqual({ plan, status: 200 });
      expect(response.headers.get("RateLimit-Policy")).toContain(`q=${limits[plan as keyof typeof limits]};w=60`);
    }
    states("docs/testing.md", "Its keys are the same at each start");
  });

  test("rehearses errors, as staging does", async () => {
    states(
      "docs/testing.md",
      "Requests provoke failures with the header `Petstore-Simulate`; for a client whose requests you cannot change, an operator sets the simulations of its key.",
    );
    states("docs/testing.md", "The header `Petstore-Simulate` does the same on staging and in `petstore demo`.");
    states("docs/running.md", "Everything else is staging:", "every error can be rehearsed");
    const headers = { ...bearer(String(demo.keys.free)), "Petstore-Simulate": "quota_exceeded" };
    expect((await fetch(`${demo.url}/pets`, { headers })).status).toBe(429);
    states("docs/testing.md", "does the same on staging and in `petstore demo`.");
  });

  test("shows its documentation and its console, in which its operator may change everything", async () => {
    states(
      "docs/running.md",
      "and an operator for the console.",
      "Commands such as `petstore keys create` do not reach one: use its console or its administration interface.",
    );
    expect((await fetch(demo.documentation)).status).toBe(200);
    const page = await fetch(demo.console);
    expect(page.status).toBe(200);
    // No command reaches its database: one that the page named would act on another.
    expect(await page.text()).not.toContain("data-operator-command");
    const me = await get(new URL("/admin/v1/operators", demo.console).href, demo.operatorToken);
    expect((await me.json()).operators).toMatchObject([{ name: "demo", role: "admin" }]);
  });

  test("has a day of traffic behind it: callers, refusals, a ban and a deprecated operation", async () => {
    states(
      "docs/running.md",
      "They are sent at the start, through the service itself, by a clock that runs through these days, and change nothing of the shop.",
    );
    states(
      "docs/running.md",
      "The console shows requests of these days, with the keys that it prints and by nine other callers: one calls the deprecated getPet, two rehearse errors, one sends too much and is banned, and the keys of three are disabled, expired and revoked.",
      "For some minutes the inventory failed.",
    );
    const admin = async (path: string) =>
      (await get(new URL(`/admin/v1${path}`, demo.console).href, demo.operatorToken)).json();
    const { keys } = await admin("/keys?limit=20");
    const ofState = (state: string) => keys.filter((key: { state: string }) => key.state === state);
    expect(ofState("banned")).toMatchObject([{ name: "Price crawler", plan: "free" }]);
    expect(ofState("active")).toHaveLength(9);
    const names = (state: string) => ofState(state).map(({ name }: { name: string }) => name);
    expect([names("disabled"), names("expired"), names("revoked")]).toEqual([
      ["Christmas market"],
      ["Trial"],
      ["Lost laptop"],
    ]);
    // They ended before the day that the history has.
    for (const { id } of ["disabled", "expired", "revoked"].flatMap(ofState))
      expect((await admin(`/requests?keyId=${id}`)).requests).toEqual([]);
    expect((await admin("/keys?rehearsing=true")).keys).toMatchObject([{ name: "Retry rehearsal" }]);
    for (const { owner, createdAt } of keys) {
      expect(owner.email).toContain("@");
      // Before the first of its requests.
      expect(Date.now() - Date.parse(createdAt)).toBeGreaterThan(30 * 86_400_000);
    }
    // Usage is written every two seconds, or sooner. By night an hour has a ninth of the requests that it has at noon.
    await eventually(async () => (await admin("/overview")).hour.requests > 50);
    const { points } = await admin("/usage");
    const requests = points.map((point: { requests: number }) => point.requests);
    expect(requests.filter((count: number) => count > 0).length).toBeGreaterThan(20);
    const [busiest] = (await admin("/usage/keys?sort=refusals")).keys;
    expect(busiest).toMatchObject({ keyName: "Price crawler", bans: 4 });
    expect(busiest.refusals).toBeGreaterThan(400);
    // Over 24 hours: shortly after midnight a key has used little of its day.
    const used = (await admin("/usage/keys?limit=100")).keys.filter(({ keyName }: { keyName: string }) =>
      keyName.startsWith("demo "),
    );
    expect(used).toHaveLength(4);
    for (const { requests } of used) expect(requests).toBeGreaterThan(5);
    const [getPet] = (await admin("/deprecations")).operations;
    expect(getPet).toMatchObject({ operation: "getPet", callers: 1 });
    expect(getPet.calls).toBeGreaterThan(50);
    expect((await admin("/deprecations/callers")).callers).toMatchObject([{ userAgent: "till/2.3" }]);
    const { day, month } = await admin("/overview");
    expect(day.byClass["5xx"]).toBeGreaterThan(10);
    expect(month.requests).toBeGreaterThan(day.requests + 1_000);
    const days: number[] = month.points.map((point: { requests: number }) => point.requests);
    // Today may just have begun.
    expect(Math.min(...days.slice(0, -1))).toBeGreaterThan(20);
    expect(new Set(days).size).toBeGreaterThan(15);
    const found = async (query: string) => (await admin(`/requests?${query}`)).requests.length;
    expect(await found("error=key_banned")).toBeGreaterThan(0);
    expect(await found("error=validation_failed")).toBeGreaterThan(0);
    // Rehearsed by a header, and sent without a key.
    for (const code of ["internal_error", "missing_api_key"]) expect(await found(`error=${code}`)).toBeGreaterThan(0);
  });

  test("leaves its keys most of their limits, and its clock is this machine's", async () => {
    const { headers } = await get(`${demo.url}/pets`, String(demo.keys.enterprise));
    expect(headers.get("X-RateLimit-Limit")).toBe("10000");
    const difference = Number(headers.get("X-RateLimit-Reset")) - Date.now() / 1000;
    expect(difference).toBeGreaterThan(0);
    expect(difference).toBeLessThanOrEqual(60);
  });

  test("runs beside another one, with as many pets as that was given, the same for the same seed", async () => {
    states("docs/testing.md", "and so are its pets with the same `--seed`.");
    states("docs/running.md", "The operator's token is another one at each start.", "Several demos run side by side.");
    const pets = await list(other, "/pets");
    expect(pets).toHaveLength(20);
    expect(pets).not.toEqual(await list(demo, "/pets?limit=20"));
    const again = await runDemo("--seed", "7", "--pets", "40");
    expect(await list(again, "/pets?limit=20")).toEqual(pets);
    expect(again.operatorToken).not.toBe(other.operatorToken);
    await end(again);
    states("docs/testing.md", "and so are its pets with the same `--seed`.");
  });

  test("keeps what clients do in memory, and leaves an empty directory empty", async () => {
    states(
      "docs/running.md",
      "The settings of the database, its backups, Redis, the deployment and its base address are ignored; all others apply.",
    );
    states("docs/running.md", "`petstore demo` runs a service of staging in memory", "Nothing is written to disk.");
    states("README.md", "`npx --no petstore demo` runs a store in memory, with sample data.");
    states("docs/quick-start.md", "with sample data, in memory.");
    const body = JSON.stringify({ name: "Rex", categoryId: 1 });
    const headers = { ...bearer(String(other.keys.free)), "Content-Type": "application/json" };
    const created = await fetch(`${other.url}/pets`, { method: "POST", headers, body });
    expect(await created.json()).toMatchObject({ id: 21, name: "Rex" });
    for (const { directory } of [demo, other]) expect(readdirSync(directory)).toEqual([]);
  });

  test("prints what it has for people: its addresses and all keys, and no line but the commands is long", async () => {
    states("docs/running.md", "It prints their addresses, the keys and the operator's token, and runs until Ctrl-C.");
    const { child } = startDemo(["--port", "0"]);
    const lines: string[] = [];
    for await (const line of createInterface({ input: child.stdout }))
      if (lines.push(line) && line.includes("Ctrl-C")) break;
    // The two commands to try it: one that succeeds, and one that shows a failure.
    const answers = lines
      .filter((line) => line.startsWith("    curl "))
      .map((line) => `${line} --silent --output /dev/null --write-out '%{http_code}'`)
      .map((command) => Number(Bun.spawnSync(["sh", "-c", command]).stdout.toString()));
    await end({ process: child });
    const printed = lines.join("\n");
    expect(answers).toEqual([200, 503]);
    for (const secret of Object.values(demo.keys)) expect(lines.some((line) => line.includes(secret))).toBe(true);
    expect(printed).toMatch(/API +http:\/\/127\.0\.0\.1:\d+\/v1\n/);
    expect(printed).toMatch(/Console +http:\/\/127\.0\.0\.1:\d+\/console\n +token +pets_oper_\w+\n/);
    for (const line of lines.filter((one) => !one.includes("curl"))) expect(line.length).toBeLessThanOrEqual(110);
  });
});

test.each(["SIGINT", "SIGTERM"] as const)("%s ends a demo at once, which has printed one line", async (signal) => {
  states(
    "docs/running.md",
    "Only warnings are logged.",
    "Prints everything as one line of JSON.",
    "The console listens on any free port",
  );
  const { child } = startDemo(["--port", "0", "--json", "--pets", "0"], { PETSTORE_ADMIN_PORT: " " });
  const printed: string[] = [];
  const lines = createInterface({ input: child.stdout }).on("line", (line) => printed.push(line));
  const errors = text(child.stderr);
  await once(lines, "line");
  const since = performance.now();
  expect(await end({ process: child }, signal)).toBe(0);
  expect(performance.now() - since).toBeLessThan(besideLoad(1_000));
  expect([printed.length, await errors]).toEqual([1, ""]);
  // An empty setting counts as not set: the console is on any free port.
  expect(JSON.parse(String(printed[0])).console).not.toContain(":8091/");
  states("docs/testing.md", "prints its address and its keys as one line of JSON, and runs until SIGTERM.");
});

test("a demo without a console shows no token for it", () => {
  const demo = { keys: [], operatorToken: "pets_oper_1", pets: 1, categories: 2, orders: 3, seed: 7 };
  const place = { baseUrl: "http://127.0.0.1:8090/v1", admin: undefined, adminPort: undefined };
  const printed = demoText({ ...demo, ...place });
  expect(printed).toMatch(/Console +off\n/);
  expect(printed).toContain("1 pet, 2 categories and 3 orders, and 30 days of requests by\n  other callers: seed 7");
  expect(printed).not.toContain("pets_oper_1");
});

test("a demo shows each key with its plan and its limits", () => {
  const key = (plan: Plan, perMinute: number, perDay: number) => ({
    key: { id: "key_1", name: plan, plan, limits: { perMinute, perDay }, scopes: [], createdAt: 0 },
    secret: `pets_stag_${plan}`,
  });
  const keys = [key("free", 60, 1_000), key("enterprise", 10_000, 2_000_000)];
  const demo = { keys, operatorToken: "pets_oper_1", pets: 1, categories: 2, orders: 3, seed: 7 };
  const printed = demoText({ ...demo, baseUrl: "http://127.0.0.1:8090/v1", admin: undefined, adminPort: undefined });
  expect(printed).toMatch(/^ +free +pets_stag_free +60 a minute, 1,000 a day$/m);
  expect(printed).toMatch(/^ +enterprise +pets_stag_enterprise +10,000 a minute, 2,000,000 a day$/m);
  expect(printed).toMatch(/^ +Documentation +http:\/\/127\.0\.0\.1:8090\/docs$/m);
});

test("a demo that listens on every address names a setting that it reads", async () => {
  const { child } = startDemo(["--port", "0", "--json", "--pets", "0"], { HOST: "0.0.0.0" });
  const [line] = await once(createInterface({ input: child.stdout }), "line");
  expect(line).toContain("links lead clients of other machines to themselves: set HOST to the address");
  await end({ process: child });
});

test("a demo logs the requests of its users, and none of those before its start", async () => {
  const settings = { PETSTORE_LOG_LEVEL: "info", PETSTORE_REQUEST_LOG: "true" };
  const { child } = startDemo(["--port", "0", "--json", "--pets", "10"], settings);
  const lines: { url?: string; msg?: string; requestId?: string }[] = [];
  createInterface({ input: child.stdout }).on("line", (line) => lines.push(JSON.parse(line)));
  await eventually(() => lines.some(({ msg, url }) => msg === undefined && url !== undefined));
  const { url } = lines.find(({ msg }) => msg === undefined) ?? {};
  await fetch(`${url}/pets`, { headers: { "X-Request-Id": "of-now" } });
  const requests = () => lines.filter(({ msg }) => msg === "request").map(({ requestId }) => requestId);
  await eventually(() => requests().includes("of-now"));
  expect(requests()).toEqual(["of-now"]);
  await end({ process: child });
});

test("a demo listens on PORT, or on --port before it; on one that is taken it says what to do", async () => {
  states("docs/running.md", "`--port` | `PORT`, or 8090", "`--port` | `PORT`, or 8090 | The port of the service;");
  const [first, second] = [String(await freePort()), String(await freePort())];
  const { child } = startDemo(["--json"], { PORT: first });
  const [line] = await once(createInterface({ input: child.stdout }), "line");
  expect(JSON.parse(line).url).toBe(`http://127.0.0.1:${first}/v1`);
  const { child: refused } = startDemo(["--port", first], { PORT: second });
  const [errors] = await Promise.all([text(refused.stderr), once(refused, "exit")]);
  expect(refused.exitCode).toBe(1);
  expect(errors).toContain(`cannot listen on 127.0.0.1:${first}. Use --port with another port, or 0 for any free one.`);
  await end({ process: child });
});

test.each([
  ["--port", "65536"],
  ["--pets", "100001"],
  ["--seed", "1.5"],
])("a demo refuses %s %s, and names the bounds", async (option, value) => {
  states("docs/running.md", "`--pets` | 200 | How many pets there are, at most 100,000.");
  const { child } = startDemo([option, value]);
  const [errors] = await Promise.all([text(child.stderr), once(child, "exit")]);
  expect(child.exitCode).toBe(2);
  expect(errors).toContain("It must be an integer from 0 to ");
});
