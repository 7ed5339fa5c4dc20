import { expect, spyOn, test } from "bun:test";
import { fixedSecret } from "../../src/domain/keys/secret.ts";
import { log } from "../../src/testing/service.ts";

test("the log of a pet store is on the console, without keys", () => {
  const printed = spyOn(console, "error").mockImplementation(() => {});
  const key = fixedSecret("staging", "log");
  log.error({ err: new Error(`failed for ${key}`) }, `failed for ${key}`);
  log.warn("not printed");
  const lines = printed.mock.calls.map(([line]) => String(line));
  printed.mockRestore();
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain("failed for [key]");
  expect(lines[0]).not.toContain(key);
});
