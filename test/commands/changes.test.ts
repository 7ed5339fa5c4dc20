import { beforeAll, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Command } from "commander";
import { petstoreCommand } from "../../src/commands/petstore.ts";
import { commandLineAuthor } from "../../src/commands/program.ts";
import { rowsOf, timeOf, useCommands } from "./in-process.ts";

/** What commands change, and who they say has changed it. */
const { directory, path, saying, json, withStores } = useCommands({ PETSTORE_ORDER_EXPIRY: "1h" });
beforeAll(() => saying("database", "migrate"));

/** Those that change nothing that the log has; and those whose entries other tests look for. */
const OTHERS =
  /^(serve|demo|health|usage|audit|database .*|openapi|completion|help|staging reset|keys simulate|webhooks test)$|(list|show|export|deliveries)$/;

test("each change by a command has an entry of the user who typed it, now, with what changed; a removal says what is gone", async () => {
  const done: string[] = [];
  /** Runs a command. Its entry has to be the newest one, with this action, and the id of what the command prints. */
  const change = async (action: string, line: string, ...more: string[]) => {
    const words = [...line.split(" "), ...more];
    const began = Date.now();
    const printed = await json(...words);
    const [{ target = null, at, operator, ...entry }] = await json("audit", "--limit", "1");
    const found = printed.webhook?.id ?? printed.removed ?? printed.id;
    expect([line, entry.action, target]).toEqual([line, action, String(found ?? target)]);
    expect([line, operator]).toEqual([line, commandLineAuthor().operator]);
    expect(Date.parse(at)).toBeWithin(began, Date.now() + 1);
    done.push(words.slice(0, 2).join(" "));
    return printed;
  };

  const { id: key } = await change("key.create", "keys create --plan free --name", "My app");
  await change("key.update", `keys rename ${key}`, "Shop");
  await change("key.update", `keys set-owner ${key} Ada`);
  await change("key.update", `keys set-note ${key} Contract`);
  await change("key.update", `keys set-plan ${key} pro`);
  await change("key.update", `keys set-scopes ${key} pets:read`);
  await change("key.disable", `keys disable ${key}`);
  await change("key.enable", `keys enable ${key}`);
  await change("key.rotate", `keys rotate ${key}`);
  await change("key.grace.end", `keys end-grace ${key}`);
  await change("key.unban", `keys unban ${key}`);
  await change("key.revoke", `keys revoke ${key}`);

  await change("operator.create", "operators create --name Bo --role admin");
  const { id: operator } = await change("operator.create", "operators create --name Eve --role admin");
  expect(await saying("operators", "revoke", operator)).toBe(`Operator ${operator}, "Eve", is revoked.\n`);
  const { id: third } = await json("operators", "create", "--name", "Mallory", "--role", "viewer");
  await change("operator.revoke", `operators revoke ${third}`);

  const pets = join(directory, "pets.ndjson");
  writeFileSync(pets, '{"name":"Rex","categoryId":1}\n'.repeat(3));
  await change("pets.import", `pets import ${pets}`);
  await change("pet.update", "pets update 1 --name Max");
  expect(await change("pet.delete", "pets delete 1")).toEqual({ removed: 1 });
  const categories = join(directory, "categories.ndjson");
  writeFileSync(categories, '{"id":7,"name":"Dogs"}\n');
  await change("categories.import", `categories import ${categories}`);
  await change("category.update", "categories rename 7 Hounds");
  expect(await change("category.delete", "categories delete 7")).toEqual({ removed: 7 });

  await change("order.place", "orders place 2");
  await change("order.update", "orders approve 1");
  await change("order.update", "orders deliver 1");
  await change("order.place", "orders place 3");
  await change("order.update", "orders cancel 2");

  const { webhook } = await change("webhook.create", "webhooks create https://shop.example/hook --types pet.created");
  await change("webhook.update", `webhooks update ${webhook.id} --all-types`);
  await change("webhook.rotate", `webhooks rotate ${webhook.id}`);
  await change("webhook.disable", `webhooks disable ${webhook.id}`);
  await change("webhook.enable", `webhooks enable ${webhook.id}`);
  await change("webhook.redeliver", `webhooks redeliver ${webhook.id} --after 0`);
  expect(await change("webhook.delete", `webhooks delete ${webhook.id}`)).toEqual({ removed: webhook.id });

  const raised = { type: "alert.disk_full", subject: "disks/a", message: "It is full." } as const;
  await withStores((stores) => stores.alerts().change([raised], [], Date.now()));
  const acknowledged = await change("alert.acknowledge", "alerts acknowledge 1");
  expect([acknowledged]).toEqual(await json("alerts", "list"));
  expect(acknowledged).toMatchObject({ ...raised, state: "acknowledged" });

  const leavesOf = (command: Command, path: string): string[] =>
    command.commands.length === 0
      ? [path]
      : command.commands.flatMap((one) => leavesOf(one, `${path} ${one.name()}`.trim()));
  const changing = leavesOf(await petstoreCommand(), "").filter((path) => !OTHERS.test(path));
  expect([...new Set(done)].toSorted()).toEqual(changing.toSorted());
});

test("an order is shown with when it expires while it is only placed, and a pet without the name of a category that has none", async () => {
  const order = await json("orders", "place", "3");
  expect(Date.parse(order.expiresAt) - Date.parse(order.createdAt)).toBe(3_600_000);
  expect(rowsOf(await saying("orders", "show", String(order.id)))).toContainEqual(["expires", timeOf(order.expiresAt)]);
  await json("orders", "approve", String(order.id));
  expect(await saying("orders", "show", String(order.id))).not.toContain("expires");
  expect(rowsOf(await saying("pets", "show", "3"))).toContainEqual(["category", "1"]);
});

test("a backup and a restore count pets, orders and keys each for itself, in JSON and in words", async () => {
  for (const name of ["a", "b", "c"]) await saying("keys", "create", "--name", name, "--plan", "free");
  const countOf = async (noun: string) => (await json(noun, "list")).length;
  const counts = { pets: await countOf("pets"), orders: await countOf("orders"), keys: await countOf("keys") };
  expect(new Set(Object.values(counts)).size).toBe(3);
  const words = `${counts.pets} pets, ${counts.orders} orders and ${counts.keys} keys`;
  const began = Date.now();
  const made = await json("database", "backup");
  expect(made).toMatchObject({ ...counts, isNew: true, places: ["directory"] });
  expect(made.at).toBeWithin(began, Date.now() + 1);
  const [listed] = await json("database", "backups", "list");
  expect(listed).toMatchObject({
    ...counts,
    name: made.name,
    bytes: made.bytes,
    cause: "operator",
    place: "directory",
  });
  const verified = await json("database", "backups", "verify", made.name);
  expect(verified).toEqual({ name: made.name, place: "directory", problem: null });
  const [, , contents] = (await saying("database", "backups", "list")).split("\n");
  expect(contents).toBe(`  ${words.replace(",", " ·").replace(" and", " ·")}`);
  const file = join(directory, "backups", made.name);
  const [to, other] = [join(directory, "to.db"), join(directory, "other.db")];
  expect(await json("database", "restore", file, "--to", to)).toMatchObject({ ...counts, path: to, verified: true });
  expect(await saying("database", "restore", file, "--to", other)).toBe(`Restored ${other} from ${file}: ${words}.\n`);
});

test("an import that fails says what it has added, and what it has changed", async () => {
  await saying("categories", "import", join(directory, "categories.ndjson"));
  using database = new DatabaseSync(path);
  database.exec(
    "CREATE TRIGGER ended BEFORE INSERT ON categories WHEN NEW.name = 'Kind 1900' BEGIN SELECT RAISE(ABORT, 'full'); END",
  );
  const file = join(directory, "kinds.ndjson");
  const lines = Array.from({ length: 2_000 }, (_, i) => `{"name":"Kind ${i}"}`);
  writeFileSync(file, ['{"id":7,"name":"Cats"}', ...lines].join("\n"));
  const failure = await saying("categories", "import", file).then(String, (error: Error) => error.message);
  const categories: { name: string }[] = await json("categories", "list");
  const added = categories.filter(({ name }) => name.startsWith("Kind ")).length;
  expect(added).toBeGreaterThan(0);
  expect(failure).toStartWith(
    `the import failed after line ${added + 1}. It added ${added.toLocaleString("en")} categories, changed 1: these stay. `,
  );
  database.exec("DROP TRIGGER ended");
});
