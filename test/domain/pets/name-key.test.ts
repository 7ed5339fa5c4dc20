import { expect, test } from "bun:test";
import { nameKey } from "../../../src/domain/pets.ts";

test("the key of a name stays the same: stores keep it", () => {
  expect(nameKey("Rex")).toBe("Mif-a95GJJsKrktp7279gG");
});
