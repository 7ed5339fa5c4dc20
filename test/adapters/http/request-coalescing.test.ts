import { expect, test } from "bun:test";
import { RequestCoalescer } from "../../../src/adapters/http/pages.ts";

test("identical requests of one turn share one look-up, which starts after all of them", async () => {
  const coalescer = new RequestCoalescer<number>();
  let lookUps = 0;
  let asked = 0;
  const ask = () => {
    asked += 1;
    return coalescer.run("limit=1", () => {
      lookUps += 1;
      return asked;
    });
  };
  expect(await Promise.all([ask(), ask(), ask()])).toEqual([3, 3, 3]);
  expect(lookUps).toBe(1);
});

test("another or a later request has its own look-up", async () => {
  const coalescer = new RequestCoalescer<string>();
  const both = [coalescer.run("a", () => "1"), coalescer.run("b", async () => "2")];
  expect(await Promise.all(both)).toEqual(["1", "2"]);
  const slow = coalescer.run("a", () => new Promise((resolve) => setTimeout(resolve, 50, "old")));
  await new Promise((resolve) => setTimeout(resolve, 10));
  expect(await coalescer.run("a", () => "new")).toBe("new");
  expect(await slow).toBe("old");
});

test("an error reaches all that share the look-up, and no later request", async () => {
  const coalescer = new RequestCoalescer<string>();
  const fail = () => {
    throw new Error("away");
  };
  const shared = [coalescer.run("a", fail), coalescer.run("a", fail)];
  for (const one of await Promise.allSettled(shared)) expect(one).toMatchObject({ reason: { message: "away" } });
  expect(await coalescer.run("a", () => "back")).toBe("back");
});
