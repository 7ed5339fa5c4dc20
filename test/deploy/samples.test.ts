/** The samples' own code and data, without the tools that they are samples for. */
import { describe, expect, test } from "bun:test";
import { createRequire } from "node:module";
import { join } from "node:path";
import { Category } from "../../src/domain/categories.ts";
import { NewPet, PetStatus } from "../../src/domain/pets.ts";
import { sampleCategories } from "../../src/domain/shop.ts";
import { ROOT, read } from "../support/markdown.ts";

type PetNames = (url: string, key: string) => Promise<string[]>;
const NAMES = ["bun-test", "node-test", "vitest", "playwright", "jest"];

async function petNamesOf(name: string): Promise<PetNames> {
  const path = join(ROOT, `samples/testing/${name}/pet-names.js`);
  return (name === "jest" ? createRequire(import.meta.url)(path) : await import(path)).petNames;
}

const page = Response.json([{ name: "Rex" }]);
const busy = (seconds: number) =>
  Response.json({ message: "busy" }, { status: 503, headers: { "Retry-After": `${seconds}` } });

describe("the code that the samples test", () => {
  test("is the same for each tool", () => {
    const texts = NAMES.map((name) => read(`samples/testing/${name}/pet-names.js`));
    const common = texts.map((text) =>
      text.replace("export async", "async").replace("\nmodule.exports = { petNames };\n", ""),
    );
    expect(new Set(common).size).toBe(1);
  });

  test.each(["bun-test", "jest"])(
    "of %s repeats a request as often and as late as it says, with its key",
    async (name) => {
      const petNames = await petNamesOf(name);
      const [, most = "", retries] =
        /at most (\d+) seconds and (\w+)\./.exec(read(`samples/testing/${name}/pet-names.js`)) ?? [];
      expect(retries).toBe("twice");
      let answers: Response[] = [];
      const keys: (string | null)[] = [];
      const service = Bun.serve({
        port: 0,
        hostname: "127.0.0.1",
        fetch: ({ headers }) => {
          keys.push(headers.get("Authorization"));
          return answers.shift() ?? new Response(null, { status: 500 });
        },
      });
      try {
        const outcome = async (...all: Response[]) => {
          answers = all.map((one) => one.clone());
          const result = await petNames(service.url.href, "a-key").catch((error) => error.message);
          return [result, all.length - answers.length];
        };
        expect(await outcome(busy(0), busy(0), page)).toEqual([["Rex"], 3]);
        expect(await outcome(busy(0), busy(0), busy(0), page)).toEqual(["busy", 3]);
        expect(await outcome(busy(Number(most) + 1), page)).toEqual(["busy", 1]);
        const next = { Link: `<${service.url.href}pets?after=1>; rel="next"` };
        expect(await outcome(Response.json([{ name: "Mimi" }], { headers: next }), page)).toEqual([["Mimi", "Rex"], 2]);
        expect(new Set(keys)).toEqual(new Set(["Bearer a-key"]));
        const began = performance.now();
        expect(await outcome(busy(1), page)).toEqual([["Rex"], 2]);
        expect(performance.now() - began).toBeGreaterThan(900);
      } finally {
        await service.stop(true);
      }
    },
  );
});

test("the sample data are valid pets of the sample's categories, in each status, and the shop of a demo has the same categories", () => {
  const lines = (name: string) =>
    read(`samples/${name}.ndjson`)
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
  const categories = lines("categories").map((one) => Category.parse({ ...one, id: BigInt(one.id) }));
  expect(categories.map(({ name }) => name)).toEqual(sampleCategories.map(({ name }) => name));
  const pets = lines("pets").map((one) => NewPet.parse({ ...one, categoryId: BigInt(one.categoryId) }));
  const ids = new Set(categories.map(({ id }) => Number(id)));
  expect(pets.filter(({ categoryId }) => !ids.has(Number(categoryId)))).toEqual([]);
  expect(new Set(pets.map(({ categoryId }) => Number(categoryId)))).toEqual(ids);
  expect([...new Set(pets.map(({ status }) => status))].sort()).toEqual(PetStatus.options.toSorted());
  expect(new Set(pets.map(({ name }) => name)).size).toBe(pets.length);
});
