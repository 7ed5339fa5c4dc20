import { describe, expect, test } from "bun:test";
import type { NewSimulation } from "../../../src/domain/keys/administration.ts";
import { applies } from "../../../src/domain/keys/simulation.ts";
import type { Client } from "../../support/client.ts";
import { states } from "../../support/markdown.ts";
import { useOperator, useService } from "../../support/use-service.ts";

const STAGING = { PETSTORE_DEPLOYMENT: "staging" };
const PETS = "/v1/pets?limit=1";

describe("on staging, a key with a simulation", () => {
  const service = useService({ env: STAGING });
  const { client: admin } = useOperator(service);

  const withSimulation = async (simulation: NewSimulation, limits = { perMinute: 1_000, perDay: 1_000 }) => {
    const { id, secret } = await service.createKey({ limits });
    await service.changeKey((keys) => keys.simulate(id, simulation, service.now));
    return { id, secret, client: service.withSecret(secret) };
  };
  /** Whether each of so many requests, one after the other, was simulated. */
  const simulated = async (client: Client, requests: number) => {
    const found: boolean[] = [];
    for (let i = 0; i < requests; i++) found.push((await client.get(PETS)).headers.has("Petstore-Simulated"));
    return found;
  };
  const simulationOf = async (id: string) => (await admin.get(`/admin/v1/keys/${id}`)).body.simulation;

  test("gets the answer for the next requests, with its marker, and then has no simulation", async () => {
    states(
      "docs/administration.md",
      "The answer is that of so many requests, from the next one on. Then the simulation ends by itself.",
      'With `{"answer":"rate_limit_exceeded","next":3}` the next three requests get 429.',
    );
    states(
      "docs/administration.md",
      'With `{"answer":"rate_limit_exceeded","next":3}` the next three requests get 429.',
      "The answer is that of so many requests, from the next one on. Then the simulation ends by itself.",
      "The end after the last request has none.",
    );
    states("docs/rehearsal.md", "have an operator of staging simulate for its key: for the next requests,");
    const { id, client } = await withSimulation({ answer: "rate_limit_exceeded", next: 3 });
    for (let requests = 1; requests <= 3; requests++) {
      const { status, body, headers } = await client.get(PETS);
      expect([status, body.code]).toEqual([429, "rate_limit_exceeded"]);
      expect(headers.get("Petstore-Simulated")).toBe("rate_limit_exceeded");
      if (requests < 3) expect((await simulationOf(id)).requests).toBe(requests);
    }
    expect(await simulationOf(id)).toBeNull();
    expect(await client.get(PETS)).toMatchObject({ status: 200, body: [] });
    expect((await admin.get(`/admin/v1/audit?target=${id}&action=key.simulation.end`)).body.entries).toEqual([]);
  });

  test("gets it for one request in n", async () => {
    states(
      "docs/administration.md",
      "`every` | The answer is that of one in so many requests: with 10 of the tenth, the twentieth, and so on.",
      "`simulation.requests` of the key is the number of requests so far.",
    );
    states("docs/rehearsal.md", "for one in n,", "`--every 10` simulates for each tenth request,");
    const { id, client } = await withSimulation({ answer: "rate_limit_exceeded", every: 3 });
    const each = [false, false, true];
    expect(await simulated(client, 9)).toEqual([...each, ...each, ...each]);
    expect((await simulationOf(id)).requests).toBe(9);
  });

  test("gets it for the share that the seed selects", async () => {
    states(
      "docs/administration.md",
      "The answer is that of this share of the requests. The same seed selects the same requests; it is 0 by default.",
    );
    states(
      "docs/administration.md",
      "`percent`, `seed` | The answer is that of this share of the requests. The same seed selects the same requests",
    );
    states("docs/rehearsal.md", "or for a share in percent.");
    const schedule = { percent: 40, seed: 7 };
    const { client } = await withSimulation({ answer: "service_unavailable", ...schedule });
    const expected = Array.from({ length: 20 }, (_, i) => applies(schedule, i + 1));
    expect(new Set(expected).size).toBe(2);
    expect(await simulated(client, 20)).toEqual(expected);
    states("docs/rehearsal.md", "the same seed selects the same requests.");
  });

  test("gets it for exactly n of concurrent requests", async () => {
    states(
      "docs/administration.md",
      "Requests count one by one over all processes and nodes, in the order in which they arrive.",
    );
    const { client } = await withSimulation({ answer: "service_unavailable", next: 10 });
    const answers = await Promise.all(Array.from({ length: 40 }, () => client.get(PETS)));
    const statuses = answers.map(({ status }) => status);
    expect([503, 200].map((wanted) => statuses.filter((status) => status === wanted).length)).toEqual([10, 30]);
  });

  test("does nothing else for a simulated error, and counts for the limits as usual", async () => {
    const { client } = await withSimulation({ answer: "service_unavailable", next: 1 });
    const refused = await client.post("/v1/pets", { name: "Rex", categoryId: 1 });
    expect(refused.status).toBe(503);
    expect(refused.headers.get("X-RateLimit-Remaining")).toBe("999");
    expect((await client.get("/v1/pets?name=Rex")).body).toEqual([]);
  });

  test("may get another time: getPet after its sunset", async () => {
    const { client } = await withSimulation({ answer: "now=2031-01-01T00:00:00Z", next: 1 });
    expect((await client.get("/v1/pets/1")).body.code).toBe("operation_removed");
    expect((await client.get("/v1/pets/1")).body.code).toBe("pet_not_found");
  });

  test("a request with a simulation of its own follows that, and does not count", async () => {
    const { id, client } = await withSimulation({ answer: "service_unavailable", next: 1 });
    const own = await client.get(PETS, { "Petstore-Simulate": "rate_limit_exceeded" });
    expect(own.body.code).toBe("rate_limit_exceeded");
    expect((await simulationOf(id)).requests).toBe(0);
    expect((await client.get(PETS)).status).toBe(503);
    states("docs/rehearsal.md", "A request with a header `Petstore-Simulate` follows that instead.");
  });

  test("requests that the service refuses before do not count", async () => {
    states(
      "docs/administration.md",
      "A request that the service refuses before, with 401 or because of its limits, does not count",
    );
    states("docs/administration.md", "or because of its limits, does not count");
    const { id, client } = await withSimulation(
      { answer: "service_unavailable", every: 2 },
      { perMinute: 2, perDay: 9 },
    );
    const answers = [await client.get(PETS), await client.get(PETS), await client.get(PETS)];
    expect(answers.map(({ status }) => status)).toEqual([200, 503, 429]);
    expect(answers[2]?.headers.has("Petstore-Simulated")).toBe(false);
    expect((await simulationOf(id)).requests).toBe(2);
  });

  test("leaves the other keys alone", async () => {
    await withSimulation({ answer: "service_unavailable", next: 100 });
    expect((await (await service.withKey()).get(PETS)).status).toBe(200);
  });

  test("is changed and ended for the next request, by an operator of this service", async () => {
    states("docs/administration.md", "the key, whose requests get simulated answers, on staging");
    const { id, secret } = await service.createKey();
    const client = service.withSecret(secret);
    const path = `/admin/v1/keys/${id}/simulation`;
    expect((await client.get(PETS)).status).toBe(200);
    await admin.put(path, { answer: "service_unavailable", every: 1 });
    expect((await client.get(PETS)).status).toBe(503);
    await admin.put(path, { answer: "rate_limit_exceeded", every: 1 });
    expect((await client.get(PETS)).status).toBe(429);
    await admin.delete(path);
    expect((await client.get(PETS)).status).toBe(200);
  });

  test("is changed and ended by another process, also for a key in use", async () => {
    const { id, secret } = await service.createKey();
    const client = service.withSecret(secret);
    expect((await client.get(PETS)).status).toBe(200);
    await service.changeKey((keys) => keys.simulate(id, { answer: "service_unavailable", every: 1 }, service.now));
    expect((await client.get(PETS)).status).toBe(503);
    const { keys } = service.stores;
    const found = await keys.get(id);
    for (let i = 0; i < 3; i++) if (found?.key.simulation) await keys.countSimulated(id, found.key.simulation);
    expect((await simulationOf(id)).requests).toBe(4);
    await service.changeKey((changing) => changing.endSimulation(id, service.now));
    expect((await client.get(PETS)).status).toBe(200);
  });

  test("goes on where it was after a restart", async () => {
    const { secret, client } = await withSimulation({ answer: "service_unavailable", next: 3 });
    expect(await simulated(client, 2)).toEqual([true, true]);
    await service.kill();
    await service.start();
    expect(await simulated(service.withSecret(secret), 3)).toEqual([true, false, false]);
  });
});

describe("on production", () => {
  const service = useService();

  test("a simulation that is in the store does nothing", async () => {
    const { id, secret } = await service.createKey();
    const { key, version } = (await service.stores.keys.get(id)) ?? {};
    if (key === undefined || version === undefined) throw new Error("there is no key");
    const simulation = { answer: "service_unavailable", schedule: { every: 1 }, startedAt: service.now, requests: 0 };
    const entry = { operator: { name: "nobody" }, at: service.now, action: "key.simulate" as const };
    await service.stores.keys.replace({ ...key, simulation }, version, entry);
    await service.forgetKeys();
    const answer = await service.withSecret(secret).get(PETS);
    expect(answer.status).toBe(200);
    expect(answer.headers.has("Petstore-Simulated")).toBe(false);
    expect((await service.stores.keys.get(id))?.key.simulation).toEqual(simulation);
  });
});
