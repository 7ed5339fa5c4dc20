import { afterEach, beforeAll, expect, test } from "bun:test";
import { RequestBuffer } from "../../src/adapters/history/buffer.ts";
import { petstoreCommand } from "../../src/commands/petstore.ts";
import { startOf, statusClasses, totalOf } from "../../src/domain/usage/counting.ts";
import { requestOf } from "../adapters/history/requests.ts";
import { rowsOf, timeOf, useCommands } from "./in-process.ts";

/** Lists without items, with few of them, and on a terminal. */
const { saying, json, withStores } = useCommands();
beforeAll(() => saying("database", "migrate"));

const { columns, isTTY } = process.stdout;
/** Has standard output be a terminal of this width, or none. */
const onTerminal = (width: number | undefined) =>
  Object.assign(process.stdout, { columns: width, isTTY: width !== undefined });
afterEach(() => void Object.assign(process.stdout, { columns, isTTY }));

test("a list of nothing says so, for programs too, and how to create the first", async () => {
  const lists = (await petstoreCommand()).commands.flatMap((noun) =>
    noun.name() === "audit" || noun.commands.some((one) => one.name() === "list") ? [noun.name()] : [],
  );
  // `database backups` is a group of its own.
  expect(lists).toHaveLength(10);
  const creating = ["keys", "operators", "webhooks"];
  for (const noun of lists) {
    const words = noun === "audit" ? [noun] : [noun, "list"];
    const one = noun === "audit" ? "change" : noun.replace(/ies$/, "y").replace(/s$/, "");
    const said = await saying(...words);
    const none = creating.includes(noun) ? String.raw`. \`.* ${noun} create .*\` creates one\.` : String.raw`\.`;
    expect(said).toMatch(
      new RegExp(`^(No ${one} matches\\.|There are no ${noun === "webhooks" ? "endpoints" : noun}${none})\n$`),
    );
    expect([noun, (await saying(...words, "--json")).trim()]).toEqual([noun, "[]"]);
  }
});

test("a filter of keys that finds none does not say that there are no keys", async () => {
  const unfiltered = await saying("keys", "list");
  expect(unfiltered).toStartWith("There are no keys. ");
  for (const option of ["--newest", "--by-owner", "--limit 3"])
    expect(await saying("keys", "list", ...option.split(" "))).toBe(unfiltered);
  for (const option of ["--state active", "--plan free", "--search x", "--owner Ada", "--rehearsing"])
    expect(await saying("keys", "list", ...option.split(" "))).toBe("No key matches.\n");
});

test("on a terminal each page of a list has its head, and lines are as long as the terminal is wide", async () => {
  await withStores(async ({ pets }) => {
    for (let i = 0; i < 101; i++)
      await pets.create({ name: `Pet ${i} ${"long ".repeat(20)}`, categoryId: 1n }, { now: Date.now() });
  });
  const list = async (width: number | undefined) => {
    onTerminal(width);
    const lines = (await saying("pets", "list", "--limit", "101")).trimEnd().split("\n");
    return {
      heads: lines.filter((line) => line.startsWith("ID ")).length,
      width: Math.max(...lines.map((l) => l.length)),
    };
  };
  expect(await list(undefined)).toEqual({ heads: 1, width: 80 });
  expect(await list(60)).toEqual({ heads: 2, width: 60 });
  const { width } = await list(500);
  expect(width).toBeWithin(100, 160);
});

test("alerts have pages, newest first, in each state", async () => {
  const ids = await withStores(async (stores) => {
    const alerts = stores.alerts();
    const raised = ["a", "b", "c", "d"].map(
      (disk) => ({ type: "alert.disk_full", subject: `disks/${disk}`, message: "It is full." }) as const,
    );
    await alerts.change(raised, [], Date.now());
    const ids = (await alerts.open()).map(({ id }) => id).toSorted((a, b) => b - a);
    await alerts.change([], [Number(ids[1]), Number(ids[3])], Date.now());
    return ids;
  });
  const listed = async (...options: string[]) =>
    (await json("alerts", "list", ...options)).map(({ id }: { id: number }) => id);
  expect(await listed()).toEqual(ids);
  expect(await listed("--limit", "2")).toEqual(ids.slice(0, 2));
  expect(await listed("--after", String(ids[0]), "--limit", "2")).toEqual(ids.slice(1, 3));
  expect(await listed("--after", String(ids[1]), "--state", "ended")).toEqual([ids[3]]);
  expect(await saying("alerts", "list", "--limit", "2")).toEndWith(
    `\nMore follow: add --after ${ids[1]}, or a larger --limit.\n`,
  );
});

test("a request is listed with the name of its key and its error, and several of one id are shown, newest first", async () => {
  const { id } = await json("keys", "create", "--name", "Till", "--plan", "free");
  const at = Date.now() - 5_000;
  await withStores(async ({ requests }) => {
    const history = new RequestBuffer(requests, "0a1b2c3d");
    const missing = { status: 404, error: "pet_not_found", path: "/v1/pets/7" } as const;
    history.record(requestOf({ requestId: "again", keyId: id, at }));
    history.record(requestOf({ requestId: "again", keyId: id, at: at + 1_000, ...missing }));
    history.record(
      requestOf({ requestId: "other", keyId: undefined, at: at + 2_000, status: 401, decision: undefined }),
    );
    await history.write();
  });
  const [, ...lines] = (await saying("requests", "list")).trimEnd().split("\n");
  expect(lines.filter((line) => line.startsWith("  "))).toEqual([
    "  other",
    "  again · Till · pet_not_found",
    "  again · Till",
  ]);
  const shown = (await saying("requests", "show", "again")).trimEnd().split("\n\n");
  const times = shown.map((one) => rowsOf(one).find(([name]) => name === "time")?.[1]);
  expect(times).toEqual([at + 1_000, at].map((time) => timeOf(new Date(time).toISOString())));
  expect(rowsOf(shown[0] ?? "")).toContainEqual(["key", `${id} · Till`]);
});

test("usage as CSV and as JSON has the same counts, by plan and by key, with the owner of each", async () => {
  const owned = await json("keys", "create", "--name", "Web", "--plan", "pro", "--owner", "Ada <ada@shop.test>");
  const other = await json("keys", "create", "--name", "App", "--plan", "business");
  const at = startOf("hour", Date.now());
  const of = (who: string, counts: number[]) => ({
    resolution: "hour" as const,
    at,
    who,
    operation: "listPets",
    counts,
  });
  const usage = [
    of(owned.id, [10, 20, 30, 40, 5]),
    of(other.id, [2_000, 1, 2, 3, 0]),
    of(totalOf("pro"), [10, 20, 30, 40, 5]),
    of(totalOf("business"), [2_000, 1, 2, 3, 0]),
  ];
  await withStores((stores) => stores.usage.add({ writer: "test", number: 1, at, usage, latency: [] }, () => {}));
  const owner = { name: "Ada", email: "ada@shop.test" };
  const web = { keyId: owned.id, keyName: "Web", plan: "pro", owner, requests: 100, bans: 5 };
  const app = { keyId: other.id, keyName: "App", plan: "business", owner: null, requests: 2_006, bans: 0 };
  const top = async (...options: string[]) => (await json("usage", "--top", "2", ...options)).keys;
  expect(await top()).toMatchObject([app, web]);
  expect(await top("--sort", "refusals")).toMatchObject([web, app]);
  expect(await saying("usage", "--top", "2", "--csv")).toBe(
    `keyId,keyName,plan,owner,requests,${statusClasses.join()},bans\n` +
      `${other.id},App,business,,2006,2000,1,2,3,0\n${owned.id},Web,pro,Ada <ada@shop.test>,100,10,20,30,40,5\n`,
  );
  const { plans } = await json("usage", "--by", "plan");
  const [, ...lines] = (await saying("usage", "--by", "plan", "--csv")).trimEnd().split("\n");
  type Counted = { at: string; requests: number; byClass: Record<string, number>; bans: number };
  const cells = ({ requests, byClass, bans }: Counted) => [requests, ...statusClasses.map((one) => byClass[one]), bans];
  expect(lines.toSorted()).toEqual(
    plans
      .flatMap(({ plan, points }: { plan: string; points: Counted[] }) =>
        points.map((point) => [point.at, plan, ...cells(point)].join()),
      )
      .toSorted(),
  );
  const pro = plans.find(({ plan }: { plan: string }) => plan === "pro");
  expect([cells(pro), cells(pro.points.at(-1))]).toEqual(Array(2).fill([100, 10, 20, 30, 40, 5]));
  expect(pro.points.at(-1).at).toBe(new Date(at).toISOString());
});
