/** Tables of what was measured or tried agree with themselves and with the sentences beside them, and so does a drawing. */
import { describe, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { anchorOf } from "../src/adapters/http/guide/pages.ts";
import { orderTransitions, petTransitions } from "../src/domain/transitions.ts";
import { variables } from "../src/wiring/config.ts";
import { judge } from "./soak/course.ts";
import { codesIn, ROOT, read, states, tableOf } from "./support/markdown.ts";

const number = (text = "") => Number(text.replaceAll(",", ""));

test("what was measured is within what docs/reliability.md promises", () => {
  const page = read("docs/reliability.md");
  const tables = page.split(/^(?=\| Fault \| Promise \|)/m).slice(1);
  const seconds = (text: string) =>
    [...text.matchAll(/([\d.]+) (ms|s)\b/g)].map(([, value, unit]) => Number(value) / (unit === "ms" ? 1_000 : 1));
  const rows = tables.flatMap((table) => tableOf(table, "Fault", "Promise"));
  const bounded: [fault: RegExp, promised: RegExp, measured: RegExp][] = [
    [/^The server is killed, for 2 s/, /within 1 s/, /slowest 503 after \d+ ms/],
    [/^The server hangs for 8 s/, /within 2\.5 s/, /slowest after [\d.]+ s/],
    [/^A transaction that adds a pet stays open/, /within 5 s/, /shown after [\d.]+ s/],
    [/^A node hangs/, /within 4 s/, /after [\d.]+ s/],
    [/^The clock of one node of several is set by an hour/, /within a minute/, /not ready after \d+ s/],
    [/^A disk whose syncs take 100 ms/, /whose|Reads do not wait/, /below 1 ms/],
    [/^Redis is killed/, /within 2 s/, /^[\d.]+ s/],
  ];
  for (const [fault, promised, measured] of bounded) {
    const [what = "", promise = "", ...results] = rows.find(([first = ""]) => fault.test(first)) ?? [];
    const [bound = what.startsWith("A disk") ? 0.1 : 60] = seconds(promised.exec(promise)?.[0] ?? "?");
    const [taken] = seconds(results.map((result) => measured.exec(result)?.[0] ?? "").join(" "));
    expect([what, taken !== undefined && taken <= bound]).toEqual([what, true]);
  }
  // While Redis hangs, requests wait for 0.25 s, and not much longer.
  for (const [what = "", , slowest = ""] of rows.filter(([, promise = ""]) => /^the same(;|$)/.test(promise))) {
    if (!/^Redis (hangs|takes|is unreachable)/.test(what)) continue;
    const [taken = 0] = seconds(slowest);
    expect([what, taken >= 0.25 && taken < 0.3]).toEqual([what, true]);
  }
  const counted = rows.flatMap((cells) => cells.slice(2)).join(" ");
  for (const [, failed, of] of counted.matchAll(/(\d+) of ([\d,]+)/g))
    expect(number(failed)).toBeLessThanOrEqual(number(of));
  expect(counted).not.toMatch(/\b(?!none)\w+ lost\b/);
});

describe("docs/retry-libraries.md", () => {
  const page = read("docs/retry-libraries.md");
  const rows = tableOf(page, "Library", "Waits after 429");
  const LIBRARIES = "test/clients/libraries";

  test("has the versions that are tried, and is called a comparison of as many", () => {
    const { dependencies } = JSON.parse(read(`${LIBRARIES}/package.json`));
    const others = `${read(`${LIBRARIES}/requirements.txt`)}\n${read(`${LIBRARIES}/go.mod`)}`;
    const named = rows.flatMap(([library = ""]) =>
      [...library.matchAll(/([\w-]+) (\d+\.\d+\.\d+)/g)].map(([, name = "", version = ""]) => [name, version]),
    );
    expect(named).toHaveLength(7);
    for (const [name = "", version] of named) {
      const used = dependencies[name] ?? new RegExp(`${name}(?:==| v)(\\S+)`).exec(others)?.[1];
      expect([name, version]).toEqual([name, used]);
    }
    const libraries = new Set(rows.slice(1).map(([library = ""]) => /^[\w-]+/.exec(library)?.[0]));
    expect(libraries.size).toBe(5);
    states("docs/test-against-it.md", "what five of them do with refusals, failures and lost responses");
    const [advice = ""] =
      /^\/\*\* Waits .*?^function send.*?^}$/ms.exec(read(`${LIBRARIES}/p-retry-waiting.mjs`)) ?? [];
    expect(page).toContain(advice);
    // What it advises is what was tried, and one more.
    const [, tried] = /retry = (Retry\(.*)\)$/m.exec(read(`${LIBRARIES}/urllib3_retry.py`)) ?? [];
    states("docs/retry-libraries.md", `\`${tried}, allowed_methods=None)\``);
  });

  test("says the same in each column of a row, and below the table", () => {
    const cell = (name: string) => rows.find(([library = ""]) => library.startsWith(name)) ?? [];
    for (const [library = "", after429, , of410, lost, without, withKey, banned] of rows) {
      const isClient = library.startsWith("[The client]");
      expect([library, without]).toEqual([library, lost === "yes" && !isClient ? "one per attempt" : "1"]);
      expect([library, withKey]).toEqual([library, "1"]);
      expect([library, banned]).toEqual([library, after429 === "yes" ? "no" : "yes"]);
      expect([library, of410]).toEqual([library, after429 === "yes" ? "no" : "yes"]);
    }
    states(
      "docs/retry-libraries.md",
      "A library that repeats a lost `POST` without one adds a pet with each attempt.",
      "A library that waits a second of its own instead is refused again and again, until its key is banned.",
      `Retry\` ${cell("urllib3")[4] === "no" ? "does not repeat" : "repeats"} a \`POST\``,
      `ky ${cell("ky")[4] === "no" ? "does not repeat" : "repeats"} a \`POST\`. With an`,
      `p-retry waits one second at first, which is enough for the ${cell("p-retry 9")[1] === "no" && cell("p-retry 9")[2] === "yes" ? "503 only" : "429 too"}.`,
      "It repeats a `POST` only after a broken connection, which is when it may add a pet twice.",
      "Each library has its defaults, or the settings that its documentation shows first.",
      "Waits after 429, after 503: whether the second attempt comes after `Retry-After`",
      "Repeats a 410: whether getPet is sent again after it was removed.",
      "is sent again when the connection is cut before its response.",
      "how many pets such a creation adds, in all attempts together, without and with an `Idempotency-Key`.",
      "axios-retry, go-retryablehttp and ky wait that long, and urllib3 up to six hours, unless you set a bound.",
      "Do not repeat other 4xx. A 410 or a 404 stays the same.",
      "When all attempts have failed, `Do` returns an error without the response, unless `Client.ErrorHandler` is `retryablehttp.PassthroughErrorHandler`.",
      "To repeat it after a 429 and 503 too, once it has an `Idempotency-Key`, set `retryCondition: axiosRetry.isRetryableError`.",
      'With an `Idempotency-Key`, add it: `retry: { methods: ["get", "put", "delete", "post"] }`.',
      "Wait for `Retry-After` before you throw, and let it repeat only what has that header; it repeats broken connections by itself:",
      "`Client.Do` repeats every method after a 429, a 5xx other than 501, and a broken connection.",
    );
    expect([cell("axios-retry")[4], cell("go-retryablehttp")[4]]).toEqual(["yes", "yes"]);
  });
});

test("docs/orders.svg draws each change of status that is possible, and what it does to the pet", () => {
  const svg = read("docs/orders.svg");
  const boxes = [
    ...svg.matchAll(/<rect x="(\d+)" y="(\d+)" width="(\d+)" height="(\d+)" rx="8"\/><text class="state"[^>]*>(\w+)</g),
  ].map(([, x, y, width, height, name = ""]) => ({
    name,
    left: Number(x),
    top: Number(y),
    right: Number(x) + Number(width),
    bottom: Number(y) + Number(height),
  }));
  const at = (x: number, y: number) =>
    boxes.find(({ left, right, top, bottom }) => x >= left - 3 && x <= right + 3 && y >= top - 3 && y <= bottom + 3)
      ?.name ?? "nothing";
  const arrows = [
    ...svg.matchAll(/<path class="(arrow|effect)"( marker-start="\S+")? marker-end="\S+" d="M([\d ]+)([^"]*)"/g),
  ].flatMap(([, kind = "", both, start = "", rest = ""]) => {
    let [x = 0, y = 0] = start.split(" ").map(Number);
    const from = at(x, y);
    for (const [, axis, to = "", other] of rest.matchAll(/([HV])(\d+)()/g)) {
      expect(other).toBe("");
      if (axis === "H") x = Number(to);
      else y = Number(to);
    }
    const to = at(x, y);
    return [[kind, from, to], ...(both === undefined ? [] : [[kind, to, from]])];
  });
  const drawn = (kind: string) =>
    arrows
      .filter(([one]) => one === kind)
      .map(([, from, to]) => `${from} ${to}`)
      .toSorted();
  const possible = Object.entries({ ...orderTransitions, ...petTransitions }).flatMap(([from, all]) =>
    all.map((to) => `${from} ${to}`),
  );
  expect(drawn("arrow")).toEqual(possible.toSorted());
  expect(drawn("effect")).toEqual(["approved pending", "cancelled available", "delivered sold", "placed pending"]);
  expect([...svg.matchAll(/<text class="quiet"[^>]*>(\w+)<\/text>/g)].map(([, text]) => text)).toEqual([
    "holds",
    "sells",
    "frees",
  ]);
  expect(svg).toContain(
    "placed and approved keep the pet pending, delivered makes it sold, cancelled makes it available",
  );
});

test("the pages name a setting in a table of needs with a value that it takes", () => {
  const names = new Set(variables.map(({ name }) => name));
  const rows = tableOf(read("docs/scaling.md"), "Part", "What", "Why");
  const named = rows.flatMap((cells) => codesIn(cells.join(" "))).map((code) => code.split("=")[0] ?? "");
  expect(named.filter((name) => /^PETSTORE_/.test(name) && !names.has(name))).toEqual([]);
});

test("docs/reliability.md has of the run over time what its judge calls flat", () => {
  const rows = tableOf(read("docs/reliability.md"), "Figure", "SQLite");
  const cells = (name: string) => rows.find(([first]) => first === name)?.slice(1) ?? [];
  const course = (text = "") => (/^(\d+) to (\d+)/.exec(text) ?? []).slice(1).map(Number);
  const nodes = cells("Memory").map((memory, at) => ({
    memory: course(memory).map((megabytes) => megabytes * 1_048_576),
    descriptors: course(cells("File descriptors")[at]),
    p99: course(cells("p99")[at]),
  }));
  expect(nodes).toHaveLength(3);
  for (const { memory, descriptors, p99 } of nodes) {
    const sample = (at: number) => ({ memory: memory[at] ?? 0, descriptors: descriptors[at] ?? 0, p99: p99[at] ?? 0 });
    // The first quarter, the second one, the third one, and the last one.
    const judged = judge([sample(1), sample(0), sample(1), sample(1)]);
    expect(judged.filter(({ isFlat }) => !isFlat).map(({ line }) => line)).toEqual([]);
    expect(judge([sample(0), sample(0), sample(0), { ...sample(1), memory: 1e9 }])[0]?.isFlat).toBe(false);
  }
  expect(cells("Responses with 5xx")).toEqual(["none", "none", "none"]);
  states("docs/reliability.md", "It compares the last quarter of the time with the second one.");
});

test("docs/reliability.md has how often, and beside how many clients, histories of calls are recorded", () => {
  const script = read("test/linearizability/run.ts");
  const [, between = ""] = /BETWEEN_KILLS = ([\d_]+)/.exec(script) ?? [];
  const [, operations = ""] = /operations: \{ type: "string", default: "(\d+)"/.exec(script) ?? [];
  const [, clients = ""] = /CLIENTS = (\d+)/.exec(read("test/support/mixed-load.ts")) ?? [];
  const kills = Number(operations) / Number(between.replaceAll("_", ""));
  const load = `${clients} clients create, change, order and remove the same few pets`;
  states(
    "docs/reliability.md",
    `\`kill -9\` ${kills} times while ${load} | Every call takes effect at one moment between its request and its answer (linearizability).`,
    `Nodes and the server are killed ${kills} times in turn, at last the server fails over, while ${load} | Every call takes effect at one moment between its request and its answer (linearizability): those of a pet, of its orders, and lists with \`ids\`; other lists may show new pets later.`,
    "a call without an answer may have had its effect or not. Nodes that read pets without a lock fail the check, which shows that it detects races.",
  );
  const answered = [...read("docs/reliability.md").matchAll(/([\d,]+) calls answered, (\d+) left open/g)];
  expect(answered).toHaveLength(2);
  for (const [, calls, open] of answered) {
    expect(number(calls)).toBeGreaterThanOrEqual(Number(operations));
    // At most one of each client at each kill.
    expect(Number(open)).toBeLessThanOrEqual(kills * Number(clients));
  }
});

test("client/README.md has each of its sections in its contents, in their order", () => {
  const text = read("client/README.md");
  const [, contents = ""] = /^\*\*Contents:\*\*\n([\s\S]*?)\n\n/m.exec(text) ?? [];
  const listed = [...contents.matchAll(/\[([^\]]+)\]\(#([\w-]+)\)/g)];
  const headings = [...text.matchAll(/^## (.*)$/gm)].map(([, heading = ""]) => heading);
  expect(listed.map(([, name]) => name)).toEqual(headings);
  expect(listed.map(([, , anchor]) => anchor)).toEqual(headings.map(anchorOf));
});

const samples = ["samples/mirror", "samples/webhooks"].flatMap((folder) =>
  readdirSync(join(ROOT, folder)).map((name) => ({ path: `${folder}/${name}`, name })),
);

test.each(samples)("the head of $path says how it is run, with the variables that it reads", ({ path, name }) => {
  const text = read(path);
  const lines = text.split("\n").filter((line) => !line.startsWith("#!"));
  const end = lines.findIndex((line) => !/^(\/\/|#|""")/.test(line) && !lines[0]?.includes(line));
  const head = lines.slice(0, Math.max(end, 2)).join("\n");
  const runs: Record<string, string> = { ts: "node", py: "python3", go: "go run", sh: "sh" };
  expect(head).toContain(`${runs[name.split(".").at(-1) ?? ""]} ${name}`);
  const body = text.slice(text.indexOf(head) + head.length);
  const named = [...head.matchAll(/\b([A-Z][A-Z_]+)=/g)].map(([, variable = ""]) => variable);
  expect(named.length).toBeGreaterThan(0);
  // The client reads its own.
  const isOfClient = (variable: string) => name.endsWith(".ts") && variable.startsWith("PETSTORE_");
  expect(named.filter((variable) => !isOfClient(variable) && !new RegExp(`\\b${variable}\\b`).test(body))).toEqual([]);
  if (path.startsWith("samples/mirror/")) expect([path, /SQLite/.test(head)]).toEqual([path, /sqlite/i.test(body)]);
  const [, program] = /with (\S+?),? ?(?:alone|and jq)?[:,]/.exec(head) ?? [];
  if (program !== undefined && /^(curl|openssl|@petstore)/.test(program)) expect(body).toContain(program);
});
