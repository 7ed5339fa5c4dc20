import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { MixedLoad } from "../support/mixed-load.ts";
import { type RunningService, startService } from "../support/service.ts";
import { AcknowledgedChanges } from "./acknowledged-changes.ts";
import { violations } from "./invariants.ts";

const TABLES = ["orders", "pets", "inventory"];

/** The checks of crash.ts and test/faults/changes.ts, on a store that was tampered with. */
describe("after a mixed load", () => {
  let service: RunningService;
  let secret: string;
  const acknowledged = new AcknowledgedChanges();
  const findings = async () => [
    ...(await acknowledged.lost(service.url, secret)),
    ...(await violations(service.url, secret)),
  ];
  beforeAll(async () => {
    service = await startService({ store: "sqlite" });
    ({ secret } = await service.createKey());
    const load = new MixedLoad({ secret, record: (entry) => acknowledged.record(entry) });
    await load.run([service.url], () => load.answered >= 1_000);
  });
  afterAll(() => service.remove());
  beforeEach(async () => expect(await findings()).toEqual([]));

  const held = "id IN (SELECT pet_id FROM orders WHERE status IN ('placed', 'approved'))";
  test.each([
    ["a pet at an earlier version", "UPDATE pets SET version = version - 1", /pets.\d+ was/],
    ["another pet under the same version", "UPDATE pets SET name = 'another'", /pets.\d+ was/],
    ["a lost pet", "DELETE FROM pets", /pets.\d+ was/],
    ["an order at an earlier version", "UPDATE orders SET version = version - 1", /orders.\d+ was/],
    ["a lost order", "DELETE FROM orders", /orders.\d+ was/],
    [
      "a pet that is available, though an order holds it",
      `UPDATE pets SET status = 'available' WHERE ${held}`,
      /and is available/,
    ],
    ["a removed pet that an order holds", `DELETE FROM pets WHERE ${held}`, /and is undefined/],
    ["a wrong count", "UPDATE inventory SET sold = sold + 1 WHERE shard = 3", /the inventory is/],
  ])("%s is found", async (_, tampering, finding) => {
    await using connection = await service.store.connect();
    for (const table of TABLES) await connection.run(`CREATE TABLE saved_${table} AS SELECT * FROM ${table}`);
    await connection.run(tampering);
    expect((await findings()).join("\n")).toMatch(finding);
    for (const table of TABLES) {
      await connection.run(`DELETE FROM ${table}; INSERT INTO ${table} SELECT * FROM saved_${table}`);
      await connection.run(`DROP TABLE saved_${table}`);
    }
  });
});
