import { expect, test } from "bun:test";
import { countsOf } from "../../../src/domain/usage/reading.ts";

test("counts have the known names, in order; those of others are added to other", () => {
  const counts = countsOf(["getPet", "listPets", "other"])({ listPets: 3, adoptPet: 2, other: 1, toString: 4 });
  expect(Object.entries(counts)).toEqual([
    ["getPet", 0],
    ["listPets", 3],
    ["other", 7],
  ]);
});
