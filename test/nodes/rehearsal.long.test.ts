import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type Answer, bearer, Client } from "../support/client.ts";
import { type StagingSystem, stagingSystems } from "./staging-systems.ts";

type Numbered = { id: number };

/** Enough connections that each process answers some. */
const CONNECTIONS = 24;
const REX = { name: "Rex", categoryId: 1 };

const sum = (counts: Record<string, number>) => Object.values(counts).reduce((total, count) => total + count, 0);

describe.each(stagingSystems)("$name", ({ start }) => {
  let system: StagingSystem;
  let secret: string;
  let admin: Client;
  beforeAll(async () => {
    system = await start();
    admin = system.admin;
    const limits = { perMinute: 100_000, perDay: 1_000_000 };
    secret = (await admin.post("/admin/v1/keys", { name: "Shop", plan: "enterprise", limits })).body.secret;
  });
  afterAll(() => system?.remove());

  /** Sends the request number `i`, on a connection of its own to one of the processes. Undefined for no answer. */
  function send(i: number, path: string, own = {}, body?: object): Promise<Answer | undefined> {
    const url = system.urls[i % system.urls.length] ?? "";
    const client = new Client({ url, headers: { ...bearer(secret), Connection: "close" } });
    const sent = body === undefined ? client.get(`/v1${path}`, own) : client.post(`/v1${path}`, body, own);
    return sent.catch(() => undefined);
  }
  const everywhere = (path: string, headers = {}) =>
    Promise.all(Array.from({ length: CONNECTIONS }, (_, i) => send(i, path, headers)));

  test("simulate alike in each process", async () => {
    for (const answer of await everywhere("/pets", { "Petstore-Simulate": "delay=20, key_banned" })) {
      expect(answer).toMatchObject({ status: 429, body: { code: "key_banned" } });
      expect(answer?.headers.get("Petstore-Simulated")).toBe("delay=20, key_banned");
    }
    for (const answer of await everywhere("/pets")) expect(answer?.status).toBe(200);
    const lost = { "Petstore-Simulate": "lost-answer" };
    for (let i = 0; i < 6; i++) {
      const once = { "Idempotency-Key": `lost-${i}` };
      expect(await send(i, "/pets", { ...lost, ...once }, REX)).toBeUndefined();
      const repeated = await send(i + 1, "/pets", once, REX);
      expect(repeated?.status).toBe(201);
      expect(repeated?.headers.get("Idempotency-Replayed")).toBe("true");
    }
    expect((await send(0, "/pets?name=Rex&limit=100"))?.body).toHaveLength(6);
  });

  test("are reset as one, in the middle of creations", async () => {
    let isOver = false;
    const ids = new Set<number>();
    const refusals: (Answer | undefined)[] = [];
    const creating = Array.from({ length: 6 }, async (_, writer) => {
      for (let i = 0; !isOver; i++) {
        const answer = await send(writer, "/pets", { "Idempotency-Key": `${writer}-${i}` }, REX);
        if (answer?.status === 201) ids.add(answer.body.id);
        else refusals.push(answer);
      }
    });
    const firstIds: number[] = [];
    for (let round = 0; round < 4; round++) {
      const resets = await Promise.all([1, 2].map(() => admin.request("/admin/v1/staging/reset", { method: "POST" })));
      for (const { status, body } of resets) {
        expect(status).toBe(200);
        firstIds.push(body.firstPetId);
      }
      const last = Math.max(...firstIds);
      for (const page of await everywhere(`/pets?ids=${firstIds.join()}`)) {
        expect(page?.body.map(({ id }: Numbered) => id)).toEqual([last]);
      }
    }
    isOver = true;
    await Promise.all(creating);
    expect(refusals).toEqual([]);
    expect(new Set(firstIds).size).toBe(firstIds.length);
    const listed: number[] = [];
    for (let after = 0, page: number[] = [0]; page.length > 0; after = page.at(-1) ?? 0) {
      page = (await send(0, `/pets?limit=100&after=${after}`))?.body.map(({ id }: Numbered) => id);
      listed.push(...page);
    }
    const ofReset = listed.filter((id) => !ids.has(id));
    expect(ofReset).toHaveLength(200);
    // Those that were created after it are there; of those meanwhile, some came before it.
    expect([...ids].filter((id) => id > (ofReset.at(-1) ?? 0) && !listed.includes(id))).toEqual([]);
    for (const inventory of await everywhere("/store/inventory")) expect(sum(inventory?.body)).toBe(listed.length);
  });
});
