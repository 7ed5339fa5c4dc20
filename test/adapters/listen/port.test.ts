import { expect, test } from "bun:test";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { startService } from "../../support/service.ts";

test("a port belongs to one service: a second one does not start", async () => {
  await using first = await startService();
  const second = startService({ env: { PORT: new URL(first.url).port } });
  await expect(second).rejects.toThrow(/in use/);
  expect((await first.anonymous().get("/livez")).status).toBe(200);
});

test("a program ends as soon as it no longer listens, and not when its time to stop is over", async () => {
  const program = `import { listen } from ${JSON.stringify(join(import.meta.dir, "../../../src/adapters/listen/bun.ts"))};
    const app = () => () => new Response();
    const listener = await listen(app, { host: "127.0.0.1", port: 0, isShared: false });
    await listener.stop(60_000);`;
  const child = spawn(process.execPath, ["-e", program], { stdio: "ignore", timeout: 4_000 });
  expect(await once(child, "exit")).toEqual([0, null]);
});
