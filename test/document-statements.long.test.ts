/** As document-statements.test.ts, with several starts of the service or of commands. */
import { expect, test } from "bun:test";
import { Workplace } from "./commands/petstore.ts";
import { states } from "./support/markdown.ts";
import { startService } from "./support/service.ts";

test("what a start with other settings leaves as it is", async () => {
  states("docs/settings.md", "Pets that have one already keep it.");
  const before = await startService({ env: { PETSTORE_ORDER_EXPIRY: "2h" } });
  const { secret } = await before.createKey();
  const first = before.withSecret(secret);
  const { body: pet } = await first.post("/v1/pets", { name: "Rex", categoryId: 77 });
  const { body: sold } = await first.post("/v1/pets", { name: "Mia", categoryId: 78 });
  const { body: order } = await first.post("/v1/store/orders", { petId: sold.id });
  await before.kill();
  await using after = await startService({
    store: before.store,
    env: { PETSTORE_ORDER_EXPIRY: "1h", PETSTORE_CATEGORY_CHECK: "on" },
  });
  const client = after.withSecret(secret);
  const changed = await client.patch(`/v1/pets/${pet.id}`, { name: "Max" });
  const added = await client.post("/v1/pets", { name: "Rex", categoryId: 77 });
  const kept = changed.status === 200 && changed.body.categoryId === 77 ? "keep it" : "lose it";
  states(
    "docs/categories.md",
    `without a category: ${added.status} \`${added.body?.code}\`, decided in the same transaction as the change. Pets that have such an id already ${kept}.`,
  );
  states(
    "docs/settings.md",
    `\`on\` refuses a pet whose category does not exist (${added.status}). Pets that have one already ${kept}.`,
  );
  const later = (await client.get(`/v1/store/orders/${order.id}`)).body;
  const same = later.expiresAt === order.expiresAt ? "keep their" : "get another";
  states(
    "docs/orders.md",
    `Orders that were placed before the setting was changed ${same} \`expiresAt\`, or have none.`,
  );
});

test("what an export does with a file that exists", async () => {
  const petstore = new Workplace();
  try {
    const codes = [];
    await petstore.run(["database", "migrate"]);
    for (const options of [[], [], ["--force"]])
      codes.push((await petstore.run(["pets", "export", "pets.csv", ...options])).code);
    const [first, second, forced] = codes;
    expect([first, forced]).toEqual([0, 0]);
    states("docs/data.md", `\`export\` replaces an existing file${second === 0 ? "" : " only with `--force`"}.`);
  } finally {
    petstore.remove();
  }
});
