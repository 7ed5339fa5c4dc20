import { describe, expect, test } from "bun:test";
import type { NewSimulation } from "../../../src/domain/keys/administration.ts";
import { applies } from "../../../src/domain/keys/simulation.ts";
import type { Client } from "../../support/client.ts";
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
    const { id, client } = await withSimulation({ answer: "service_unavailable", next: 3 });
    for (let requests = 1; requests <= 3; requests++) {
      const { status, body, headers } = await client.get(PETS);
      expect([status, body.code]).toEqual([503, "service_unavailable"]);
      expect(headers.get("Petstore-Simulated")).toBe("service_unavailable");
      if (requests < 3) expect((await simulationOf(id)).requests).toBe(requests);
    }
    expect(await simulationOf(id)).toBeNull();
    expect(await client.get(PETS)).toMatchObject({ status: 200, body: [] });
  });

  test("gets it for one request in n", async () => {
    const { id, client } = await withSimulation({ answer: "rate_limit_exceeded", every: 3 });
    const each = [false, false, true];
    expect(await simulated(client, 9)).toEqual([...each, ...each, ...each]);
    expect((await simulationOf(id)).requests).toBe(9);
  });

  test("gets it for the share that the seed selects", async () => {
    const schedule = { percent: 40, seed: 7 };
    const { client } = await withSimulation({ answer: "service_unavailable", ...schedule });
    const expected = Array.from({ length: 20 }, (_, i) => applies(schedule, i + 1));
    expect(new Set(expected).size).toBe(2);
    expect(await simulated(client, 20)).toEqual(expected);
  });

  test("gets it for exactly n of concurrent requests", async () => {
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
  });

  test("requests that the service refuses before do not count", async () => {
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
