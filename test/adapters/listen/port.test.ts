import { expect, test } from "bun:test";
import { startService } from "../../support/service.ts";

test("a port belongs to one service: a second one does not start", async () => {
  await using first = await startService();
  const second = startService({ env: { PORT: new URL(first.url).port } });
  await expect(second).rejects.toThrow(/in use/);
  expect((await first.anonymous().get("/livez")).status).toBe(200);
});
