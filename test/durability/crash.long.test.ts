import { expect, test } from "bun:test";
import { changeRounds } from "./change-rounds.ts";
import { crashRounds } from "./crash-rounds.ts";

test("kill -9 under full load loses no acknowledged pet, doubles none and changes none", async () => {
  for await (const { acknowledged, findings } of crashRounds(1)) {
    expect(acknowledged).toBeGreaterThan(0);
    expect(findings).toEqual({ lost: [], twice: [], altered: [] });
  }
});

test("kill -9 under a mixed load loses no acknowledged change, and leaves every pet, order and count in agreement", async () => {
  for await (const { acknowledged, findings } of changeRounds(1)) {
    expect(acknowledged).toBeGreaterThan(0);
    expect(findings).toEqual([]);
  }
});
