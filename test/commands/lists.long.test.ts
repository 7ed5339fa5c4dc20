import { beforeAll, expect, test } from "bun:test";
import type { Command } from "commander";
import { RequestBuffer } from "../../src/adapters/history/buffer.ts";
import { petstoreCommand } from "../../src/commands/petstore.ts";
import { KeyAdministration } from "../../src/domain/keys/administration.ts";
import { requestOf } from "../adapters/history/requests.ts";
import { TESTER } from "../support/author.ts";
import { states } from "../support/markdown.ts";
import { useService } from "../support/use-service.ts";
import { Workplace } from "./petstore.ts";

/** More than the stores read at a time, of each kind: every second item is one that a filter leaves out. */
const MATCHING = 110;
const ALL = Array.from({ length: 2 * MATCHING }, (_, i) => i);

const service = useService({ now: Date.now() - 3_600_000 });
const petstore = new Workplace(service);
const isMatching = (i: number) => i % 2 === 0;

beforeAll(async () => {
  const { pets, orders, categories, keys, requests } = service.stores;
  const administration = new KeyAdministration(keys, "production", TESTER);
  const history = new RequestBuffer(requests, "0a1b2c3d");
  const [named, rex] = [(i: number) => (isMatching(i) ? "even" : "odd"), { categoryId: 7n }];
  const created = await Promise.all(ALL.map((i) => pets.create({ ...rex, name: named(i) }, { now: Date.now() })));
  const at = (i: number) => service.now + i * 1_000;
  const options = (i: number) => ({ reference: named(i), by: TESTER });
  const placed = await Promise.all(created.map(({ id }, i) => orders.place(BigInt(id), at(i), options(i))));
  await Promise.all(
    placed.map(({ created: { id } }, i) => orders.update(BigInt(id), "approved", at(i) + 500_000, { by: TESTER })),
  );
  const put = { now: service.now, by: TESTER };
  await Promise.all(ALL.map((i) => categories.put({ id: BigInt(i + 1), name: `Category ${i}` }, put)));
  for (const i of ALL) {
    const owner = isMatching(i) ? { name: "Ada" } : undefined;
    await administration.create({ name: named(i), plan: isMatching(i) ? "pro" : "free", owner, scopes: [] }, at(i));
    history.record(requestOf({ at: at(i), status: isMatching(i) ? 404 : 200, requestId: `r${i}` }));
  }
  await history.write();
});

/** A time as a table shows it. */
const time = (iso: unknown) => String(iso).replace("T", " ").replace(/\.\d+/, "");

/** Each list with a filter, and the columns of its table with what JSON has in their place. */
const lists: [command: string, head: string[], cells: (item: Record<string, never>) => unknown[]][] = [
  [
    "pets list --name EVE*",
    ["ID", "NAME", "CATEGORY", "STATUS"],
    ({ id, name, categoryId, status }) => [id, name, categoryId, status],
  ],
  [
    "orders list --reference even",
    ["ID", "PET", "NAME", "STATUS", "REFERENCE", "PLACED", "CHANGED"],
    ({ id, petId, pet, status, reference, createdAt, updatedAt }) => [
      ...[id, petId, Object(pet).name, status, reference],
      ...[time(createdAt), time(updatedAt)],
    ],
  ],
  [`categories list --ids ${ALL.filter(isMatching).map((i) => i + 1)}`, ["ID", "NAME"], ({ id, name }) => [id, name]],
  [
    "keys list --plan pro",
    ["ID", "NAME", "PLAN", "STATUS", "LAST USED"],
    ({ id, name, plan, state }) => [id, name, plan, state, "never"],
  ],
  [
    "audit --action key.create --operator test --since 2020-01-01",
    ["TIME", "OPERATOR", "ACTION", "TARGET"],
    ({ at, operator, action, target }) => [time(at), Object(operator).name, action, target],
  ],
  [
    "events list --types order.placed",
    ["ID", "TIME", "TYPE", "SUBJECT", "VERSION", "DATA"],
    ({ id, at, type, subject, version }) => [id, time(at), type, subject, version],
  ],
  [
    "requests list --status 404",
    ["TIME", "STATUS", "METHOD", "PATH", "KEY"],
    ({ at, status, method, path, keyId }) => [time(at), status, method, path, keyId],
  ],
];

test.each(lists)("%s has exactly what matches on each page, in JSON and as a table", async (command, head, cells) => {
  states("docs/data.md", "and names the `--after` that continues it; with `--json` it has everything.");
  const all: Record<string, never>[] = await petstore.json(...command.split(" "));
  // The filter of these two leaves none of the items out.
  const isOfAll = command.startsWith("audit") || command.startsWith("events");
  expect(all).toHaveLength(isOfAll ? ALL.length : MATCHING);
  expect(new Set(all.map(({ id }) => String(id))).size).toBe(all.length);
  const [, , start] = all;
  const follows = all.slice(3);
  for (const [limit, more] of [
    [follows.length - 1, `More follow: add --after ${follows.at(-2)?.id}, or a larger --limit.`],
    [follows.length, undefined],
  ] as const) {
    const range = ["--after", String(start?.id), "--limit", String(limit)];
    const { stdout } = await petstore.run([...command.split(" "), ...range]);
    const [first = "", ...lines] = stdout.trimEnd().split("\n");
    expect(first.split(/ {2,}/)).toEqual(head);
    const rows = lines.filter((line) => /^\S/.test(line) && !line.startsWith("More"));
    const shown = rows.map((row) => row.split(/ {2,}/));
    const expected = follows.slice(0, limit).map((item) => cells(item).map(String));
    expect(shown.map((row, i) => row.slice(0, expected[i]?.length))).toEqual(expected);
    expect(lines.find((line) => line.startsWith("More"))).toBe(more);
  }
});

test("--limit holds for JSON, too, and each owner stands once above its keys", async () => {
  states("docs/data.md", "A list has at most 50 rows, unless `--limit` says more");
  expect(await petstore.json("keys", "list", "--limit", "103")).toHaveLength(103);
  const { stdout } = await petstore.run(["keys", "list", "--by-owner", "--limit", "1000"]);
  expect(stdout.split("\n").filter((line) => /^(Ada|No owner)$/.test(line))).toEqual(["Ada", "No owner"]);
});

test("--until ends before its time, and --since begins with it", async () => {
  const all = await petstore.json("requests", "list");
  const [from, to] = [all[50].at, all[20].at];
  const found = await petstore.json("requests", "list", "--since", from, "--until", to);
  expect(found).toEqual(all.slice(21, 51));
  expect(await petstore.json("requests", "list", "--since", from)).toEqual(all.slice(0, 51));
});

test("each list is in the order that its help says", async () => {
  states("docs/data.md", "`audit` shows the changes that operators and commands made.");
  const alerts = service.stores.alerts();
  const webhooks = service.stores.webhooks();
  const endpoints: string[] = [];
  for (const [i, name] of ["one", "two"].entries()) {
    const subject = `keys/${name}`;
    await alerts.change([{ type: "alert.key_banned", subject, message: "It was banned." }], [], service.now + i);
    await petstore.json("operators", "create", "--name", name, "--role", "viewer");
    endpoints.push((await petstore.json("webhooks", "create", `https://${name}.invalid`)).webhook.id);
    await petstore.json("database", "backup");
  }
  const [id = ""] = endpoints;
  const sent = { type: "petstore.test", attempt: 1, milliseconds: 1, status: 200 };
  for (const i of [1, 2]) {
    const at = service.now + i * 1_000;
    await webhooks.keep(id, { ...sent, at }, { ...TESTER, at, action: "webhook.test", target: id });
  }
  const again = new RequestBuffer(service.stores.requests, "0a1b2c3e");
  for (const i of [0, 1]) again.record(requestOf({ at: service.now + i * 1_000, requestId: "again" }));
  await again.write();

  const leavesOf = (command: Command, path: string): [words: string, description: string][] =>
    command.commands.length === 0
      ? [[path, command.description()]]
      : command.commands.flatMap((one) => leavesOf(one, `${path} ${one.name()}`.trim()));
  const said = leavesOf(await petstoreCommand(), "").flatMap(([words, description]) => {
    const order = /\b(oldest|newest) first\b/.exec(description)?.[1];
    return order === undefined ? [] : [[words, order] as const];
  });
  expect(said.map(([words]) => words)).toContain("events list");
  const given: Record<string, string> = { "requests show": "again", "webhooks deliveries": id };
  for (const [words, order] of said) {
    const items = await petstore.json(...`${words} ${given[words] ?? ""}`.trim().split(" "));
    const [first, last] = [items[0], items.at(-1)].map(({ id, at, createdAt }) =>
      typeof id === "number" ? id : (at ?? createdAt),
    );
    expect([words, first < last ? "oldest" : first > last ? "newest" : `${first} twice`]).toEqual([words, order]);
  }
});
