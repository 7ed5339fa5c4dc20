import { expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startService } from "../../support/service.ts";

test("a port belongs to one service: a second one does not start", async () => {
  const first = await startService();
  const directory = mkdtempSync(join(tmpdir(), "petstore-test-"));
  try {
    const second = startService({ env: { PORT: new URL(first.url).port }, directory });
    await expect(second).rejects.toThrow(/in use/);
    expect((await first.anonymous().get("/livez")).status).toBe(200);
  } finally {
    rmSync(directory, { recursive: true });
    await first.remove();
  }
});
