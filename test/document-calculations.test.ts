/** What the pages of measurements calculate follows from their own figures, and from the code. */
import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { benchmarks } from "../bench/benchmarks.ts";
import { limitsOf } from "../src/domain/limits/limits.ts";
import { retention } from "../src/domain/usage/counting.ts";
import { usageInterval } from "../src/wiring/background-tasks.ts";
import { readConfig, variables } from "../src/wiring/config.ts";
import { pageInOneLine, ROOT, read, states, tableOf } from "./support/markdown.ts";

const DAY = 86_400;
const number = (text = "") => Number(text.replaceAll(",", "").replace(/ billion$/, "e9"));

/** The figures in the one place of a page that is written so, where # stands for a figure. */
function figures(page: string, sentence: string): number[] {
  const pattern = sentence
    .split("#")
    .map((part) => RegExp.escape(part))
    .join(String.raw`(\d[\d,]*(?:\.\d+)?(?: billion)?)`);
  const found = new RegExp(pattern).exec(pageInOneLine(page));
  expect([sentence, found !== null]).toEqual([sentence, true]);
  return (found ?? []).slice(1).map(number);
}
const scaling = (sentence: string) => figures("docs/scaling.md", sentence);

/** Expects a figure that is rounded, and so within a share of what it is calculated from. */
function expectNear(stated: number | undefined, calculated: number, share = 0.05): void {
  expect([stated, calculated, Math.abs((stated ?? 0) / calculated - 1) <= share]).toEqual([stated, calculated, true]);
}
const columns = (path: string) =>
  read(path)
    .replaceAll(/ {2,}\|/g, " |")
    .replaceAll(/\| {2,}/g, "| ");

describe("docs/scaling.md calculates", () => {
  const [perNode = 0] = scaling("Plan with #. ");
  const [bytes = 0] = scaling("grows by about # bytes a request");
  const pool = Number(variables.find(({ name }) => name === "PETSTORE_DATABASE_POOL")?.default);

  test("what one process serves from what was measured, and its clients from their limits", () => {
    const measured = new Map(tableOf(columns("docs/performance.md"), "What", "Figure") as [string, string][]);
    const rate = (what: string) => number(measured.get(what)?.replace("/s", ""));
    const [requests = 0, creations] = scaling(
      "one process, SQLite | # requests per second, about # creations per second | one core",
    );
    expectNear(requests, rate("List, the same page again"));
    expectNear(creations, rate("Creation, durable"), 0.15);
    const [again, byMinute = 0, ...minute] = scaling(
      "# requests per second are # clients on the Business plan that use up their limit per minute (# × # / #)",
    );
    const [byDay = 0, ...day] = scaling("or # that use up their limit per day (# × # / #)");
    const { perMinute, perDay } = limitsOf.business;
    expect([again, ...minute, ...day]).toEqual([requests, requests, 60, perMinute, requests, DAY, perDay]);
    expect(byMinute).toBe((requests * 60) / perMinute);
    expectNear(byDay, (requests * DAY) / perDay, 0.01);
    const [share] = scaling("# times the reads of step 1 for each core");
    const [cost = 0] = figures("docs/running.md", "a cached list and a refused request take about # times");
    expectNear(share, 1 / cost);
    const [million = 0, hundred = 0] = scaling("are about # MB on disk with their indexes, a hundred million # GB");
    expectNear(hundred * 1_000, million * 100);
  });

  test("what one Redis decides, keeps and writes, and what several do", () => {
    const [least = 0, most = 0] = scaling("a request takes # to # µs of Redis's one thread");
    const [fewest = 0, many = 0] = scaling("So one Redis decides # to # requests per second");
    expectNear(fewest, 1e6 / most, 0.02);
    expectNear(many, 1e6 / least);
    expect(fewest <= perNode && perNode <= many).toBe(true);
    const [megabytes, at] = scaling("# MB a second at # requests per second");
    expect(at).toBe(perNode);
    expectNear(megabytes, (bytes * perNode) / 1e6);
    const [hash = 0, memory] = scaling("takes about # bytes: a million active keys are # MB");
    expect(memory).toBe(hash);
    states("docs/upgrading.md", `give Redis enough memory: ${hash} bytes for each active key`);
    expect(scaling("several nodes behind HAProxy, PostgreSQL and Redis on their own machines | #")).toEqual([perNode]);
    expect(scaling("slot: ten primaries decide #")).toEqual([10 * perNode]);
    const [exceeds = 0] = scaling("An Enterprise key with # requests per second would");
    expect(exceeds).toBeGreaterThanOrEqual(perNode);
  });

  test("what PostgreSQL reads and writes, and what usage costs it", () => {
    const [of, time = 0] = scaling("a page of # by an index takes about # µs of a core");
    const [cores = 0, pages] = scaling("; # cores read about # pages per second");
    expectNear(pages, (cores * 1e6) / time, 0.1);
    expect(of).toBe(figures("docs/performance.md", "A page has # pets")[0]);
    const [syncs = 0, each = 0, creations] = scaling(
      "a disk with # syncs per second and # creations per batch makes # creations per second",
    );
    expect(creations).toBe(syncs * each);
    const [perKey = 0, processes = 0, keys = 0] = scaling(
      "which takes # µs of one core for each key. # processes with # keys of their own need a third of a core.",
    );
    expectNear((processes * keys * perKey) / 1e6 / (usageInterval(keys) / 1e3), 1 / 3);
  });

  test("how many connections and nodes there are", () => {
    const [nodes = 0, workers = 0, connections, all] = scaling("`. # nodes of # workers with # each are #.");
    expect([connections, all]).toEqual([pool, nodes * workers * pool]);
    const [each = 0, requests = 0, cores = 0, machines = 0, of = 0] = scaling(
      "Plan with # requests per second and core, each for another page: # requests per second are # cores, or with one machine in reserve # machines of #.",
    );
    expect(cores).toBe(requests / each);
    expect((machines - 1) * of).toBeGreaterThanOrEqual(cores);
    expect((machines - 2) * of).toBeLessThan(cores);
    const [cpus, , , , , sum = 0, dollars] = scaling(
      "# for nodes, # for PostgreSQL and # for its standby, # for four shards of Redis and a replica of each, # for two HAProxy: # | about # dollars",
    );
    expect(cpus).toBe(machines * of);
    const [, ...parts] =
      /\| (\d+) for nodes, (\d+) for Post\w+ and (\d+) for its standby, (\d+) for four .*?, (\d+) for two/.exec(
        pageInOneLine("docs/scaling.md"),
      ) ?? [];
    expect(sum).toBe(parts.reduce((total, part) => total + Number(part), 0));
    const [core = 0] = scaling("a core with 4 GB costs about # dollars per month");
    expect(scaling("one small machine with a disk | # dollars")).toEqual([core]);
    expect(dollars).toBe(sum * core);
    const [cents, perSecond, seconds, days, month = 0] = scaling(
      "Step 3 then costs # cents per million requests (# × # × # = # per month)",
    );
    expect([perSecond, seconds, days]).toEqual([requests, DAY, 30]);
    expectNear(month, requests * DAY * 30, 0.01);
    expectNear(cents, (100 * (dollars ?? 0)) / (month / 1e6));
  });

  test("what is best, and what it rests on", () => {
    states(
      "docs/scaling.md",
      "Step 1 is enough for almost every deployment, and has the fewest parts that can fail.",
      "A page that was requested before is served from memory, others from SQLite in the same process: there is no network between. Reads do not wait for writes.",
      "The first two are of available pets; all but the first are at random places.",
      "Sizes are logarithmic; the height is the figure, from zero.",
      "PostgreSQL works best below a few hundred, so lower the pool first: a process reads pages as fast with 5 connections as with 30.",
      "Redis writes it anew when it has doubled, beside its work, and needs the memory and the disk for that.",
      "Regions: a creation waits for a majority of regions, tens of milliseconds.",
      "instead, give each region its own Redis and its own share of the limit.",
    );
    states(
      "docs/running.md",
      "Creations gain nothing, because their commits take turns:",
      "Prefer one process if most requests are creations or other changes.",
      "Node cannot share memory, so its workers ask the parent for each request: there a cached list takes 1.05 times.",
    );
    const [two = 0] = figures("docs/running.md", "two workers add # times as many pets per second as one process");
    const [four = 0] = figures("docs/running.md", "four on the same two cores # times");
    expect(four < two && two < 1).toBe(true);
  });

  test("what fifty nodes need", () => {
    const [each = 0, requests = 0] = scaling("With # requests per second each, fifty nodes answer #.");
    expect(requests).toBe(50 * each);
    const [primaries, all, one] = scaling("# primaries, with a replica of each | # / #");
    expect([primaries, all, one]).toEqual([Math.ceil(requests / perNode), requests, perNode]);
    states(
      "docs/scaling.md",
      `; ${requests.toLocaleString("en")} with ${primaries === 4 ? "four" : primaries} shards of Redis Cluster`,
    );
    expect(scaling("# MB a second, over all primaries | # × # bytes")).toEqual([
      (requests * bytes) / 1e6,
      requests,
      bytes,
    ]);
    const [nodes = 0, connections, small = 0] = scaling("# × `PETSTORE_DATABASE_POOL` connections: # with #");
    expect([nodes, connections]).toEqual([50, 50 * small]);
    const [share = 0, history = 0, perSecond, perDay = 0, kept = 0] = scaling(
      "`PETSTORE_REQUEST_HISTORY_SHARE` | #, with `PETSTORE_REQUEST_HISTORY=#` | # requests per second are # a day: of those without an error # are kept",
    );
    expect(perSecond).toBe(requests);
    expectNear(perDay, requests * DAY, 0.01);
    expect(kept).toBeCloseTo(requests * DAY * share, 5);
    expect(history).toBeGreaterThan(kept);
    expect(scaling("`PETSTORE_NODES` | #, times the workers")).toEqual([50]);
    const [tenth, ofNode] = scaling(
      "it gets a tenth of its limit (#) for the rest of that minute, and its node's share (#)",
    );
    const { perMinute } = limitsOf.free;
    expect(scaling("Of a key with # requests per minute")).toEqual([perMinute]);
    expect([tenth, ofNode]).toEqual([perMinute / 10, Math.ceil(perMinute / 50)]);
    const [pause = 0, passed = 0, sent = 0, ofThree = 0] = scaling(
      "In a pause of # seconds # of # requests passed; with three nodes #.",
    );
    expect(passed < ofThree && ofThree < sent && sent <= pause).toBe(true);
  });

  test("the space of usage", () => {
    const [days = 0, hours = 0] = [retention.minute, retention.hour].map((time) => time / 1e3 / DAY);
    const [stated, minutes, ofHours, ofDays, all = 0] = scaling(
      "takes # MB: minutes are kept for # days, hours for #, days for #, which are # rows",
    );
    expect([minutes, ofHours, ofDays]).toEqual([days, hours, retention.day / 1e3 / DAY]);
    expect(all).toBe(days * 1_440 + hours * 24 + retention.day / 1e3 / DAY);
    const [size = 0] = scaling("minute, hour or day in which a key called an operation | #");
    expectNear(stated, (all * size) / 1e6, 0.01);
    const [ofSqlite = 0, sum] = figures(
      "docs/running.md",
      "Usage takes about # bytes for each minute, hour and day in which a key called an operation: # MB for a key that is always active",
    );
    expectNear(sum, (all * ofSqlite) / 1e6, 0.1);
    const script = read("bench/growth-postgres.ts");
    const of = (option: string) =>
      Number(new RegExp(`${option}: \\{ type: "string", default: "(\\d+)"`).exec(script)?.[1]);
    expect(scaling("of a million pets, # orders and # keys that")).toEqual([of("orders"), of("keys")]);
    expect(of("pets")).toBe(1_000_000);
    const [writes] = /WRITES_IN_A_MINUTE = (\d+)/.exec(script)?.slice(1) ?? [];
    states("docs/scaling.md", `writes it, every ${Number(writes) === 10 ? "six" : "other"} seconds`);
    const [turns] = /TURNS = (\d+)/.exec(script)?.slice(1) ?? [];
    states("docs/scaling.md", `after ${turns === "5" ? "five" : turns} times in which as much was added as deleted`);
    const sizes = scaling(
      "The table has # bytes for each row without a vacuum; filled to 75, 90 and 100 % it would have #, # and #.",
    );
    expect(sizes.toSorted((a, b) => a - b)).toEqual(sizes);
  });

  test("how much growth costs, from its tables", () => {
    const rows = tableOf(columns("docs/scaling.md"), "Pets", "1,000");
    const growth = (of: RegExp) =>
      rows
        .filter(([name = ""]) => of.test(name))
        .map((cells) => Math.round(100 * (number(cells.at(-1)) / number(cells[1]) - 1)));
    const lists = growth(/^list/);
    expect(lists).toHaveLength(5);
    expect(
      scaling(
        "From # pets to #, a page that comes from SQLite takes # to # % more processor time in these tables, a single pet # %, creations # %, and the inventory nothing",
      ),
    ).toEqual([
      1_000,
      10_000_000,
      Math.min(...lists),
      Math.max(...lists),
      ...growth(/^get by id/),
      ...growth(/^creations/),
    ]);
    expect(growth(/^inventory/)).toEqual([0]);
  });

  test("what PgBouncer needs of its settings", () => {
    const ini = /```ini\n\s*\[databases\]([\s\S]*?)```/.exec(read("docs/scaling.md"))?.[1] ?? "";
    const setting = (name: string) => new RegExp(`^\\s*${name} = (.*)$`, "m").exec(ini)?.[1];
    const [port] = [setting("listen_port")];
    states("docs/scaling.md", `DATABASE_URL=postgres://petstore:…@${setting("listen_addr")}:${port}/petstore`);
    expect([setting("pool_mode"), setting("auth_type"), setting("auth_file")]).toEqual([
      "transaction",
      "scram-sha-256",
      "/etc/pgbouncer/userlist.txt",
    ]);
    // The least that the service needs.
    const [least = 0] = scaling("two to four for each of its cores, and at least #.");
    expect(() => readConfig({ PETSTORE_DATABASE_POOL: `${least - 1}` })).toThrow();
    readConfig({ PETSTORE_DATABASE_POOL: `${least}` });
    const [more = 0] = scaling("nodes × workers × (`PETSTORE_DATABASE_POOL` + #)");
    states("docs/running.md", `An export and a start use up to ${more === 2 ? "two" : more} more`);
    expect(Number(setting("max_client_conn"))).toBeGreaterThan(Number(setting("default_pool_size")));
    expect(Number(setting("server_login_retry"))).toBeLessThan(scaling("With its default, # s, the service")[0] ?? 0);
  });
});

test("docs/running.md and docs/scaling.md share out connections and memory as the code does", () => {
  const constant = (path: string, name: string) =>
    Number(new RegExp(`const ${name} = ([\\d_]+)`).exec(read(`src/adapters/${path}.ts`))?.[1]?.replaceAll("_", ""));
  const parts = ["OPERATORS_PART", "TRANSACTIONS_PART"].map((name) => 1 / constant("postgres/database", name));
  const left = 1 - parts.reduce((sum, part) => sum + part, 0);
  expect(left <= 0.5 && left > 0.4).toBe(true);
  states("docs/scaling.md", "Each process has up to half of `PETSTORE_DATABASE_POOL` connections to each.");
  const [bytes = 0, most] = figures("docs/running.md", "cached keys about # KB each, at most # MB");
  expectNear(most, (constant("memory/key-cache", "MAX_KEYS") * bytes) / 1e3, 0.01);
});

describe("docs/performance.md says of the benchmarks", () => {
  const source = (path: string) => readFileSync(join(ROOT, "bench", path), "utf8");
  const constant = (path: string, name: string) =>
    Number(new RegExp(`const ${name} = ([\\d_]+)`).exec(source(path))?.[1]?.replaceAll("_", ""));

  test("their connections, their catalogues and their tools", () => {
    states(
      "docs/performance.md",
      `wrk with ${constant("subject.ts", "CONNECTIONS")} connections and one key with ample limits`,
      `The database has ${constant("stage.ts", "LARGE").toLocaleString("en")}, and ${constant("stage.ts", "USUAL").toLocaleString("en")} for the page that comes again, for creations and for PostgreSQL.`,
    );
    states("docs/scaling.md", `on one core with ${constant("subject.ts", "CONNECTIONS")} connections`);
    expect(constant("quantities.ts", "MEMORY_SIZE")).toBe(constant("quantities.ts", "START_SIZE"));
    expect(constant("quantities.ts", "MEMORY_SIZE")).toBe(1_000_000);
    states("docs/performance.md", "Memory is that of a million pets", "and a start is that on the same database");
    const [, go] = /^go ([\d.]+)$/m.exec(source("contenders/go/go.mod")) ?? [];
    states("docs/performance.md", `The programs with equal work need Go ${go}, Rust 1.85, a C compiler`);
    // Edition 2024 is of Rust 1.85.
    expect(source("contenders/rust/Cargo.toml")).toContain('edition = "2024"');
    const [, block = ""] = /const packages = \{([\s\S]*?)\}/.exec(source("tools.ts")) ?? [];
    const packages = [...block.matchAll(/: "([\w-]+)"/g)].map(([, name = ""]) => name);
    const [, installed = ""] = /apt-get install ([^#]*?) +#/.exec(read("docs/performance.md")) ?? [];
    // Every Debian has that of taskset.
    expect(installed.split(" ").toSorted()).toEqual(packages.filter((name) => name !== "util-linux").toSorted());
    const [, directory] = /TMPDIR \?\?= "([^"]+)"/.exec(source("workspace.ts")) ?? [];
    states("docs/performance.md", `are in \`${directory}\`, or in \`TMPDIR\``);
  });

  test("what its options select, and when a run fails", () => {
    const options = [...read("docs/performance.md").matchAll(/^npm run bench -- (--\w+)(?: (\w+))? +# (.*)$/gm)];
    const names = benchmarks.map(({ name }) => name);
    const said = new Map(options.map(([, option = "", name, what = ""]) => [`${option} ${name ?? ""}`.trim(), what]));
    expect([...said.keys()]).toEqual(["--quick", "--only start", "--only equal", "--write"]);
    expect(names).toContain("start");
    expect(said.get("--only start")).toStartWith("one benchmark");
    expect(names.filter((name) => name.startsWith("equal-")).length).toBeGreaterThan(5);
    expect(said.get("--only equal")).toStartWith("those whose names begin so");
    expect(said.get("--quick")).toBe("faster, and noisier");
    expect(said.get("--write")).toBe("writes the figures to this page and to that of the benchmarks");
    states(
      "docs/performance.md",
      "In a quick run, a benchmark passes if it ran: its rounds are too short to judge.",
      "It reports a missed target, which fails only the full run.",
      "The last line counts the benchmarks that passed, failed or were skipped; the exit code is 0 if all passed.",
    );
    states(
      "docs/performance.md",
      "`/s` are responses per second.",
      "Reads after the first row come from the database each time. Writes are on the disk when they are answered.",
      "One that cannot be compiled is skipped, and the report says why.",
      '"Not judged" means that the benchmark ran, and that it has no target, or that the machine cannot decide about it; then the report gives the reason.',
      "The figures go to standard output, progress to standard error.",
      "It must be on a disk, or durability costs nothing.",
    );
    expect(source("figures.ts")).toMatch(/function logProgress[\s\S]*?console\.error/);
    expect(source("bench.ts")).toMatch(/exitCode = passed === benchmarks\.length \? 0 : 1/);
    expect(source("results.ts")).toMatch(/MISSED: isStrict \? "failed" : "passed"/);
  });
});
