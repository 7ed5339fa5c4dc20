import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { bearer } from "../support/client.ts";
import { states } from "../support/markdown.ts";
import { type StagingSystem, stagingSystems } from "./staging-systems.ts";

const REQUESTS = 120;

describe.each(stagingSystems)("$name", ({ start }) => {
  let system: StagingSystem;
  beforeAll(async () => {
    system = await start();
  });
  afterAll(() => system?.remove());

  /** The number of simulated answers to so many concurrent requests, each on a connection of its own. */
  async function simulatedOf(requests: number, secret: string): Promise<number> {
    const { urls } = system;
    const headers = { ...bearer(secret), Connection: "close" };
    const markers = await Promise.all(
      Array.from({ length: requests }, async (_, i) => {
        const response = await fetch(`${urls[i % urls.length]}/v1/pets?limit=1`, { headers });
        await response.text();
        expect(response.status).toBe(response.headers.has("Petstore-Simulated") ? 429 : 200);
        return response.headers.get("Petstore-Simulated");
      }),
    );
    return markers.filter((marker) => marker === "rate_limit_exceeded").length;
  }

  test.each([
    [{ next: 50 }, 50, null],
    [{ every: 6 }, 20, { requests: REQUESTS }],
  ])("count together the requests of a key with the schedule %j, exactly", async (schedule, expected, left) => {
    states(
      "docs/rehearsal.md",
      "`--every 10` simulates for each tenth request, `--percent 5 --seed 7` for a share: the same seed selects the same requests.",
    );
    states("docs/administration.md", "Requests count one by one over all processes and nodes");
    const { admin } = system;
    const created = (await admin.post("/admin/v1/keys", { name: "Shop", plan: "business" })).body;
    const path = `/admin/v1/keys/${created.key.id}`;
    await admin.put(`${path}/simulation`, { answer: "rate_limit_exceeded", ...schedule });
    expect(await simulatedOf(REQUESTS, created.secret)).toBe(expected);
    const { simulation } = (await admin.get(path)).body;
    if (left === null) expect(simulation).toBeNull();
    else expect(simulation).toMatchObject(left);
    await admin.delete(`${path}/simulation`);
    expect(await simulatedOf(30, created.secret)).toBe(0);
  });
});
