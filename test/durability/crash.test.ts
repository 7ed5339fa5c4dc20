import { expect, test } from "bun:test";
import { fileURLToPath } from "node:url";
import { commandFor } from "../support/runtime.ts";
import { changeRounds } from "./change-rounds.ts";
import { crashRounds } from "./crash-rounds.ts";

const EARLY = fileURLToPath(new URL("serve-acknowledging-early.ts", import.meta.url));
const TIMEOUT = 60_000;

test(
  "kill -9 under full load loses no acknowledged pet, doubles none and changes none",
  async () => {
    for await (const { acknowledged, findings } of crashRounds(2)) {
      expect(acknowledged).toBeGreaterThan(0);
      expect(findings).toEqual({ lost: [], twice: [], altered: [] });
    }
  },
  TIMEOUT,
);

test(
  "the same crashes detect a store that acknowledges before it commits",
  async () => {
    const lost: string[] = [];
    for await (const { findings } of crashRounds(1, commandFor(EARLY))) lost.push(...findings.lost);
    expect(lost).not.toBeEmpty();
  },
  TIMEOUT,
);

test(
  "kill -9 under a mixed load loses no acknowledged change, and leaves every pet, order and count in agreement",
  async () => {
    for await (const { acknowledged, findings } of changeRounds(2)) {
      expect(acknowledged).toBeGreaterThan(0);
      expect(findings).toEqual([]);
    }
  },
  TIMEOUT,
);
