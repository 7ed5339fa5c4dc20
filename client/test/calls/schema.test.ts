import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { generated } from "../../generate.ts";
import { CLIENT } from "../support/package.ts";

test("the types match the service's document (`npm run build --prefix client` generates them)", async () => {
  expect(readFileSync(join(CLIENT, "src/schema.ts"), "utf8")).toBe(await generated());
});
