import { describe, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import fc from "fast-check";
import { runtimeCommand } from "../../bin/runtime.js";
import { holding } from "../../src/domain/orders.ts";
import { NewPet } from "../../src/domain/pets.ts";
import { MAX_SEED, sampleShop } from "../../src/domain/shop.ts";
import { states } from "../support/markdown.ts";
import { runtimes } from "../support/runtimes.ts";

const NOW = 1_800_000_000_000;
const DAY = 86_400_000;
const anyShop = fc.record({ pets: fc.nat(500), seed: fc.nat(MAX_SEED), now: fc.nat(4e12).map((n) => n + 1e12) });

describe("A sample shop", () => {
  test("has valid pets, each in one of its categories", () => {
    fc.assert(
      fc.property(anyShop, (options) => {
        const { pets, categories } = sampleShop(options);
        expect(pets).toHaveLength(options.pets);
        const ids = categories.map(({ id }) => id);
        for (const pet of pets) {
          expect(NewPet.parse(pet)).toEqual(pet);
          expect(ids).toContain(pet.categoryId);
        }
      }),
      { numRuns: 30 },
    );
  });

  test("has at most one order of a pet, whose status agrees, in the 30 days before", () => {
    states("docs/running.md", "The orders were placed in the 30 days before the start.");
    fc.assert(
      fc.property(anyShop, (options) => {
        const { pets, orders } = sampleShop(options);
        expect(new Set(orders.map(({ pet }) => pet)).size).toBe(orders.length);
        for (const { pet, status, createdAt, updatedAt } of orders) {
          const petStatus = pets[pet]?.status;
          expect(holding.some((one) => one === status)).toBe(petStatus === "pending");
          if (status === "delivered") expect(petStatus).toBe("sold");
          if (status === "cancelled") expect(petStatus).toBe("available");
          expect(createdAt).toBeGreaterThanOrEqual(options.now - 30 * DAY - 1);
          expect(updatedAt).toBeGreaterThanOrEqual(createdAt);
          expect(updatedAt).toBeLessThan(options.now);
          if (status === "placed") expect(updatedAt).toBe(createdAt);
        }
        const times = orders.map(({ createdAt }) => createdAt);
        expect(times).toEqual(times.toSorted((a, b) => a - b));
      }),
      { numRuns: 30 },
    );
  });

  test("is the same for the same seed, and begins with the same pets when it has more", () => {
    states(
      "docs/running.md",
      "`--seed` | 1 | The same seed gives the same pets and orders, under the same ids. With more pets it begins with the same ones.",
    );
    fc.assert(
      fc.property(anyShop, fc.nat(100), (options, more) => {
        const shop = sampleShop(options);
        expect(sampleShop(options)).toEqual(shop);
        const larger = sampleShop({ ...options, pets: options.pets + more });
        expect(larger.pets.slice(0, options.pets)).toEqual(shop.pets);
        const later = sampleShop({ ...options, now: options.now + DAY });
        expect(later.orders.map(({ createdAt }) => createdAt - DAY)).toEqual(shop.orders.map((o) => o.createdAt));
      }),
      { numRuns: 30 },
    );
    expect(sampleShop({ seed: 2, now: NOW }).pets).not.toEqual(sampleShop({ seed: 3, now: NOW }).pets);
  });

  test("has every status of pets and orders, in sensible shares, and no name twice", () => {
    const { pets, orders } = sampleShop({ now: NOW });
    expect(new Set(pets.map(({ name }) => name)).size).toBe(200);
    const shares = (items: { status?: string | undefined }[]) =>
      Object.fromEntries([...Map.groupBy(items, ({ status }) => status)].map(([status, all]) => [status, all.length]));
    expect(shares(pets)).toEqual({ available: 118, pending: 31, sold: 51 });
    expect(shares(orders)).toEqual({ placed: 17, approved: 9, delivered: 43, cancelled: 16 });
  });

  test("is the same on each runtime", () => {
    const source = `
      import { sampleShop } from ${JSON.stringify(new URL("../../src/domain/shop.ts", import.meta.url).href)};
      import { hash } from "node:crypto";
      const text = JSON.stringify(sampleShop({ seed: 7, now: ${NOW} }), (_, value) => typeof value === "bigint" ? String(value) : value);
      console.log(hash("sha256", text));`;
    const digests = runtimes.map((runtime) => {
      const [program = "", ...options] = runtimeCommand(runtime);
      const flags = runtime === "node" ? ["--input-type=module"] : [];
      return spawnSync(program, [...options, ...flags, "-e", source], { encoding: "utf8" }).stdout.trim();
    });
    expect(digests[0]).toMatch(/^[0-9a-f]{64}$/);
    expect(new Set(digests).size).toBe(1);
  });
});
