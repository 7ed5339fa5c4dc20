import { expect, test } from "bun:test";
import { once } from "node:events";
import { states } from "../support/markdown.ts";
import { anonymous } from "../support/operator.ts";
import { startService } from "../support/service.ts";

/** How long a stop announces itself before it refuses connections, in ms; a little less, for timers that fire early. */
const NOTICE = 1_400;

test("a stop is announced on both listeners, answers until it closes, and saves every count", async () => {
  states(
    "docs/upgrading.md",
    "`/readyz` is 503, `/livez` 200, shortly before the process ends | The service is stopping. | Nothing.",
  );
  states("docs/monitoring.md", "`stopping`, `stopped` | info | A signal arrived; everything is stored.");
  states(
    "docs/running.md",
    "`/readyz` returns 503, and each response has `Connection: close`; requests are still served.",
    "The administration listener has both, too.",
    "It stores the counters and closes the database.",
  );
  await using service = await startService({ store: "sqlite" });
  const { id, secret } = await service.createKey();
  const client = service.withSecret(secret);
  const [publicSite, administration] = [service.anonymous(), anonymous(service)];
  expect((await publicSite.get("/readyz")).status).toBe(200);
  expect((await client.get("/v1/pets")).headers.get("Connection")).not.toBe("close");

  const exited = once(service.process, "exit");
  const stoppedAt = performance.now();
  service.process.kill("SIGTERM");
  // A second signal changes nothing.
  service.process.kill("SIGTERM");
  const isAnnounced = async () => (await publicSite.get("/readyz")).status === 503;
  while (!(await isAnnounced()));
  expect((await administration.get("/readyz")).status).toBe(503);
  expect((await administration.get("/livez")).headers.get("Connection")).toBe("close");
  let answered = 1;
  for (;;) {
    const answer = await client.get("/v1/pets").catch(() => undefined);
    if (answer === undefined) break;
    expect(answer.status).toBe(200);
    expect(answer.headers.get("Connection")).toBe("close");
    answered += 1;
  }
  expect(performance.now() - stoppedAt).toBeGreaterThan(NOTICE);
  expect(await exited).toEqual([0, null]);

  const state = await service.stores.counters.limitStateOf(id);
  expect(state?.minute.count).toBe(answered);
  const hour = service.now - (service.now % 3_600_000);
  const rows = await service.stores.usage.usageOf(id, { hour: [hour] });
  expect(rows.map(({ operation, counts }) => [operation, counts[0]])).toEqual([["listPets", answered]]);
});
