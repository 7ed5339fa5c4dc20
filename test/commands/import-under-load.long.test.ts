import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { useKey, useService } from "../support/use-service.ts";
import { Workplace } from "./petstore.ts";

const service = useService();
const petstore = new Workplace(service);
const { client } = useKey(service);

test("while tens of thousands of pets are imported, the service creates pets", async () => {
  const lines = Array.from({ length: 60_000 }, (_, i) => `{"name":"Bulk ${i}","categoryId":1}\n`);
  writeFileSync(petstore.path("bulk.ndjson"), lines.join(""));
  const imported = petstore.json("pets", "import", "bulk.ndjson");
  let isOver = false;
  imported.finally(() => {
    isOver = true;
  });
  const statuses = new Set<number>();
  while (!isOver) statuses.add((await client.post("/v1/pets", { name: "Own", categoryId: 1 })).status);
  expect(await imported).toMatchObject({ imported: 60_000, rejected: 0 });
  expect([...statuses]).toEqual([201]);
});
