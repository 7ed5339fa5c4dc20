import { expect, test } from "bun:test";
import { states } from "../support/markdown.ts";
import { changeRounds } from "./change-rounds.ts";
import { crashRounds } from "./crash-rounds.ts";

test("kill -9 under full load loses no acknowledged pet, doubles none and changes none", async () => {
  states(
    "docs/reliability.md",
    "`kill -9` while 64 clients write, 20 times | Every acknowledged pet is there, once, with its id.",
  );
  states("docs/interface.md", "A 201 means that the pet is on the service's disk: a crash does not remove it.");
  for await (const { acknowledged, findings } of crashRounds(1)) {
    expect(acknowledged).toBeGreaterThan(0);
    expect(findings).toEqual({ lost: [], twice: [], altered: [] });
  }
});

test("kill -9 under a mixed load loses no acknowledged change, and leaves every pet, order and count in agreement", async () => {
  states("docs/orders.md", "Order and pet change in one transaction.");
  states("README.md", "data that survives a crash.");
  states(
    "docs/reliability.md",
    "`kill -9` while 24 clients create, change, order and remove pets, 20 times | Every acknowledged change is there. A pet has at most one order that is placed or approved, and is then pending. The inventory equals a full count.",
  );
  states(
    "docs/orders.md",
    "A pet has at most one order that is placed or approved, and is then `pending`: at every moment, and through crashes.",
  );
  for await (const { acknowledged, findings } of changeRounds(1)) {
    expect(acknowledged).toBeGreaterThan(0);
    expect(findings).toEqual([]);
  }
});
