import { afterAll, beforeAll, expect, test } from "bun:test";
import { Workplace } from "./petstore.ts";

let petstore: Workplace;
beforeAll(async () => {
  petstore = new Workplace();
  expect((await petstore.run(["database", "migrate"])).code).toBe(0);
});
afterAll(() => petstore.remove());

const create = async (name: string, ...options: string[]) => {
  const { stdout, stderr } = await petstore.run([
    "keys",
    "create",
    "--name",
    name,
    "--plan",
    "free",
    ...options,
    "--json",
  ]);
  expect(stderr).toBe("");
  return JSON.parse(stdout).id as string;
};
const lines = async (...args: string[]) => {
  const { stdout } = await petstore.run(["keys", ...args]);
  return stdout
    .trimEnd()
    .replaceAll(/key_\w+/g, "key_…")
    .split("\n");
};
const usageError = async (...args: string[]) => {
  const { code, stderr } = await petstore.run(["keys", ...args]);
  return [code, stderr.split("\n")[0]];
};

test("keys are listed with their owners and notes, by owner, and of one owner", async () => {
  await create("Lone");
  const id = await create("Till", "--owner", "Ada <ada@example.org>", "--note", "Contract 4711");
  await create("Other", "--owner", "Zoë\u202e");
  await create("Web", "--owner", "ADA@example.org");
  const row = (name: string) => `key_…  ${name.padEnd(5)}  free  active  never`;
  const head = "ID                    NAME   PLAN  STATUS  LAST USED";
  expect(await lines("list")).toEqual([
    ...[head, row("Lone"), row("Till"), "  Ada <ada@example.org> · Contract 4711"],
    ...[row("Other"), "  Zoë[U+202E]", row("Web"), "  ADA@example.org"],
  ]);
  expect(await lines("list", "--by-owner")).toEqual([
    ...[head, "", "Ada <ada@example.org>", row("Till"), "  Contract 4711", row("Web")],
    ...["", "Zoë[U+202E]", row("Other"), "", "No owner", row("Lone")],
  ]);
  expect(await lines("list", "--owner", "ada@EXAMPLE.org", "--newest")).toHaveLength(5);
  expect(await lines("list", "--owner", "Bob")).toEqual(["No key matches."]);
  const after = (await lines("list", "--by-owner", "--after", id)).filter((line) => line.startsWith("key_"));
  expect(after).toEqual([row("Web"), row("Other"), row("Lone")]);
  expect(await lines("show", id)).toContain("owner      Ada <ada@example.org>");
  const { stdout } = await petstore.run(["keys", "list", "--by-owner", "--limit", "1", "--json"]);
  expect(JSON.parse(stdout)).toMatchObject([
    { owner: { name: "Ada", email: "ada@example.org" }, note: "Contract 4711" },
  ]);
});

test("owner and note are changed and removed", async () => {
  const id = await create("Changed");
  const said = async (...args: string[]) => (await petstore.run(["keys", ...args])).stdout.trim();
  expect(await said("set-owner", id, "Bob <bob@example.org>")).toBe(
    `Key ${id}, "Changed", belongs to Bob <bob@example.org> now.`,
  );
  expect(await said("set-note", id, "Contract 1")).toBe(`Key ${id}, "Changed", has this note now.`);
  expect(await said("set-owner", id, "--remove")).toBe(`Key ${id}, "Changed", has no owner now.`);
  expect(await said("set-note", id, "--remove")).toBe(`Key ${id}, "Changed", has no note now.`);
  const { stdout } = await petstore.run(["keys", "show", id, "--json"]);
  expect(JSON.parse(stdout)).toMatchObject({ owner: null, note: null });
});

test("an invalid owner or note, and a change to nothing, are usage errors", async () => {
  const owner = "It must be a name, an e-mail address, or both as in Ada <ada@example.org>.";
  expect(await usageError("create", "--name", "x", "--plan", "free", "--owner", "a@")).toEqual([
    2,
    `error: option '--owner <owner>' argument 'a@' is invalid. ${owner}`,
  ]);
  expect(await usageError("set-note", "key_1", "a\nb")).toEqual([2, "error: command-argument value 'a"]);
  expect(await usageError("set-owner", "key_1")).toEqual([2, "error: either an owner or --remove is required"]);
  expect(await usageError("set-owner", "key_1", "Ada", "--remove")).toEqual([
    2,
    "error: either an owner or --remove is required",
  ]);
  expect(await usageError("set-note", "key_1")).toEqual([2, "error: either a note or --remove is required"]);
  expect((await usageError("list", "--by-owner", "--newest"))[0]).toBe(2);
});
