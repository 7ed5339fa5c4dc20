import { describe, expect, test } from "bun:test";
import { describes } from "../../../support/descriptions.ts";
import { states } from "../../../support/markdown.ts";
import { useOperator, useService } from "../../../support/use-service.ts";

const KEYS = "/admin/v1/keys";

describe("on staging", () => {
  const service = useService({ env: { PETSTORE_DEPLOYMENT: "staging" } });
  const { client: admin, operator } = useOperator(service);
  const create = async () => (await admin.post(KEYS, { name: "Shop", plan: "free" })).body.key;
  const set = (id: string, body: object) => admin.put(`${KEYS}/${id}/simulation`, body);
  const end = (id: string) => admin.delete(`${KEYS}/${id}/simulation`);
  const act = (id: string, action: string) => admin.request(`${KEYS}/${id}/${action}`, { method: "POST" });

  test("a key has no simulation until one is set, and none after its end", async () => {
    describes(
      "endSimulation",
      "Has requests of a key answered as they are. A key without a simulation stays as it is.",
    );
    describes("KeySimulation", "on staging.", "It has one of next, every and percent");
    states("docs/administration.md", "`DELETE /admin/v1/keys/{id}/simulation` | the key without a simulation");
    const { id, simulation } = await create();
    expect(simulation).toBeNull();
    const startedAt = new Date(service.now).toISOString();
    const wanted = { answer: "rate_limit_exceeded", next: 3, startedAt, requests: 0 };
    expect(await set(id, { answer: "rate_limit_exceeded", next: 3 })).toMatchObject({
      status: 200,
      body: { id, state: "active", simulation: wanted },
    });
    expect((await admin.get(`${KEYS}/${id}`)).body.simulation).toEqual(wanted);
    expect((await end(id)).body.simulation).toBeNull();
    expect((await admin.get(`${KEYS}/${id}`)).body.simulation).toBeNull();
    expect((await end(id)).status).toBe(200);
  });

  test.each([
    [
      { answer: "lost-answer,delay=5", every: 10 },
      { answer: "delay=5, lost-answer", every: 10 },
    ],
    [
      { answer: "now=2031-01-01T00:00:00Z", percent: 5, seed: 7 },
      { answer: "now=2031-01-01T00:00:00.000Z", percent: 5, seed: 7 },
    ],
    [
      { answer: "not_found", percent: 100 },
      { answer: "not_found", percent: 100, seed: 0 },
    ],
  ])("%j is kept in its normal form", async (body, kept) => {
    states(
      "docs/administration.md",
      "`answer` | A value of the header `Petstore-Simulate`: an error code, a delay, a lost answer, another time.",
      "The same seed selects the same requests; it is 0 by default.",
    );
    const { id } = await create();
    const startedAt = new Date(service.now).toISOString();
    expect((await set(id, body)).body.simulation).toEqual({ ...kept, startedAt, requests: 0 });
  });

  test.each([
    [{ next: 1 }, "answer is required"],
    [{ answer: 7, next: 1 }, "answer must be a string"],
    [{ answer: "teapot", next: 1 }, "answer must be an error code, delay=<ms>, disconnect, lost-answer or now=<time>"],
    [{ answer: "delay=30001", next: 1 }, "answer must have a delay from 0 to 30000 ms, such as delay=2000"],
    [{ answer: "not_found" }, "next is required, or else every or percent"],
    [{ answer: "not_found", next: 1, every: 2 }, "every must not be given together with next"],
    [{ answer: "not_found", next: 1, seed: 2 }, "seed is for percent only"],
    [{ answer: "not_found", next: 0 }, "next must be an integer from 1 to 1000000"],
    [{ answer: "not_found", every: 1.5 }, "every must be an integer from 1 to 1000000"],
    [{ answer: "not_found", percent: 101 }, "percent must be an integer from 1 to 100"],
    [{ answer: "not_found", percent: 1, seed: 4294967296 }, "seed must be an integer from 0 to 4294967295"],
  ])("%j is refused", async (body, problem) => {
    states("docs/administration.md", "Exactly one of `next`, `every` and `percent` is required.");
    const { id } = await create();
    const { status, body: error } = await set(id, body);
    expect([status, error.code]).toEqual([400, "validation_failed"]);
    const details = error.details.map((one: { field: string; problem: string }) => `${one.field} ${one.problem}`);
    expect(details).toEqual([problem]);
    expect((await admin.get(`${KEYS}/${id}`)).body.simulation).toBeNull();
  });

  test("a key that does not exist is 404, a revoked one 409", async () => {
    for (const answer of [await set("key_nobody", { answer: "not_found", next: 1 }), await end("key_nobody")]) {
      expect([answer.status, answer.body.code]).toEqual([404, "key_not_found"]);
    }
    const { id } = await create();
    await act(id, "revoke");
    const refused = await set(id, { answer: "not_found", next: 1 });
    expect([refused.status, refused.body.code]).toEqual([409, "invalid_state"]);
  });

  test("rotating, renaming and disabling a key keep its simulation; revoking it ends it", async () => {
    states("docs/administration.md", "Rotating, renaming or disabling the key keeps it, revoking the key ends it.");
    const { id } = await create();
    await set(id, { answer: "not_found", every: 2 });
    await act(id, "rotate");
    const changed = await admin.patch(`${KEYS}/${id}`, { name: "Renamed", disabled: true });
    expect(changed.body).toMatchObject({ name: "Renamed", state: "disabled", simulation: { every: 2 } });
    expect((await act(id, "revoke")).body).toMatchObject({ state: "revoked", simulation: null });
  });

  test("each change has its entry in the audit log; one that changes nothing has none", async () => {
    states(
      "docs/administration.md",
      "Both changes have an entry in the audit log, `key.simulate` and `key.simulation.end`.",
    );
    const { id } = await create();
    await set(id, { answer: "not_found", percent: 5, seed: 7 });
    await service.advance({ seconds: 1 });
    await set(id, { answer: "not_found", percent: 5, seed: 7 });
    await end(id);
    await end(id);
    const { entries } = (await admin.get(`/admin/v1/audit?target=${id}`)).body;
    const after = (ago: number) => ({
      answer: "not_found",
      schedule: { percent: 5, seed: 7 },
      startedAt: new Date(service.now - ago).toISOString(),
    });
    expect(entries).toMatchObject([
      { action: "key.simulation.end", operator: { id: operator.id }, before: { simulation: after(0) } },
      { action: "key.simulate", before: { simulation: after(1_000) }, after: { simulation: after(0) } },
      { action: "key.simulate", before: { name: "Shop" }, after: { simulation: after(1_000) } },
      { action: "key.create" },
    ]);
    expect(entries[0].after).not.toHaveProperty("simulation");
  });

  test("the list selects keys with a simulation, and the overview counts them", async () => {
    describes("listKeys.rehearsing", "`true` for only the keys that have a simulation.");
    describes("KeyCounts.rehearsing", "Those of all states that have a simulation.");
    states(
      "docs/administration.md",
      "`rehearsing=true` selects keys with a simulation.",
      "and how many keys have a simulation",
    );
    const rehearsing = async () => (await admin.get("/admin/v1/overview")).body.keys.rehearsing;
    const before = await rehearsing();
    const [one, other] = [await create(), await create()];
    await set(one.id, { answer: "not_found", every: 2 });
    const ids = async (query: string) =>
      (await admin.get(`${KEYS}?limit=200&${query}`)).body.keys.map(({ id }: { id: string }) => id);
    expect(await ids("rehearsing=true")).toContain(one.id);
    expect(await ids("rehearsing=true")).not.toContain(other.id);
    expect(await ids("rehearsing=true&plan=free&search=shop")).toContain(one.id);
    expect(await ids("rehearsing=true&plan=pro")).not.toContain(one.id);
    expect(await ids("rehearsing=false")).toEqual(expect.arrayContaining([one.id, other.id]));
    expect(await rehearsing()).toBe(before + 1);
    expect((await admin.get(`${KEYS}?rehearsing=true&limit=1`)).body.total).toBe(before + 1);
    expect((await admin.get(`${KEYS}?rehearsing=yes`)).body.details).toMatchObject([
      { field: "rehearsing", problem: "must be true or false" },
    ]);
  });
});

describe("on production", () => {
  const service = useService();
  const { client: admin } = useOperator(service);

  test("no simulation can be set", async () => {
    states(
      "docs/administration.md",
      "Production refuses to set a simulation with 409 `invalid_state`.",
      "Or production cannot simulate answers",
    );
    const { id } = (await admin.post(KEYS, { name: "Shop", plan: "free" })).body.key;
    const path = `${KEYS}/${id}/simulation`;
    const refused = await admin.put(path, { answer: "not_found", next: 1 });
    expect([refused.status, refused.body.code]).toEqual([409, "invalid_state"]);
    expect(refused.body.message).toContain("Only staging");
    expect((await admin.delete(path)).body.simulation).toBeNull();
  });
});
