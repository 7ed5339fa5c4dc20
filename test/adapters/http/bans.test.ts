import { expect, test } from "bun:test";
import type { Answer, Client } from "../../support/client.ts";
import { useService } from "../../support/use-service.ts";

const STRIKES = 100;
const LADDER = [300, 900, 3_600, 86_400, 86_400];

const service = useService();

async function keyWithOneRequestAMinute(): Promise<{ id: string; client: Client }> {
  const { id, secret } = await service.createKey({ limits: { perMinute: 1, perDay: 100_000 } });
  return { id, client: service.withSecret(secret) };
}

/** Uses up the minute, is refused once, and 2 s later `strikes` times. Returns the last response. */
async function strike(client: Client, strikes: number): Promise<Answer> {
  await client.spend(2);
  await service.advance({ seconds: 2 });
  return client.spend(strikes);
}

/** During a ban `t` of both windows is `Retry-After`. */
function expectWaitsToAgree({ headers }: Answer): void {
  const seconds = headers.get("Retry-After");
  expect(headers.get("RateLimit")).toBe(`"minute";r=0;t=${seconds}, "day";r=0;t=${seconds}`);
}

const banned = { status: 429, body: { code: "key_banned", status: 429 } };
const refused = { status: 429, body: { code: "rate_limit_exceeded" } };

test("the 100th strike within ten minutes bans the key for five minutes", async () => {
  const { client } = await keyWithOneRequestAMinute();
  expect(await strike(client, STRIKES - 1)).toMatchObject(refused);
  const answer = await client.get("/v1/pets");
  expect(answer).toMatchObject(banned);
  const end = Math.ceil(service.now / 1000) + 300;
  expect(answer.headers.get("X-RateLimit-Remaining")).toBe("0");
  expect(answer.headers.get("X-RateLimit-Reset")).toBe(String(end));
  expect(answer.headers.get("Retry-After")).toBe(String(Math.ceil(end - service.now / 1000)));
  expectWaitsToAgree(answer);
  await service.setClock(end * 1000 - 1_500);
  expectWaitsToAgree(await client.get("/v1/pets"));
});

test("a ban ends on time, and not a millisecond before", async () => {
  const { client } = await keyWithOneRequestAMinute();
  const end = Number((await strike(client, STRIKES)).headers.get("X-RateLimit-Reset")) * 1000;
  await service.setClock(end - 1);
  expect(await client.get("/v1/pets")).toMatchObject(banned);
  await service.setClock(end);
  expect((await client.get("/v1/pets")).status).toBe(200);
});

test("requests during a ban neither count nor prolong it", async () => {
  const { client } = await keyWithOneRequestAMinute();
  const end = Number((await strike(client, STRIKES)).headers.get("X-RateLimit-Reset"));
  await service.advance({ seconds: 200 });
  const later = await client.spend(2 * STRIKES);
  expect(later).toMatchObject(banned);
  expect(later.headers.get("X-RateLimit-Reset")).toBe(String(end));
  await service.setClock(end * 1000);
  const free = await client.get("/v1/pets");
  expect(free.status).toBe(200);
  expect(free.headers.get("RateLimit")).toContain('"day";r=99998;');
});

test("a burst is not punished: refusals within 2 s of the window's first refusal are no strikes", async () => {
  const { client } = await keyWithOneRequestAMinute();
  await client.spend(2);
  const began = service.now;
  await service.setClock(began + 1_999);
  expect(await client.spend(3 * STRIKES)).toMatchObject(refused);
  await service.setClock(began + 2_000);
  expect(await client.spend(STRIKES - 1)).toMatchObject(refused);
  expect(await client.get("/v1/pets")).toMatchObject(banned);
});

test("strikes older than ten minutes are forgotten", async () => {
  const { client } = await keyWithOneRequestAMinute();
  await strike(client, STRIKES - 1);
  await service.advance({ seconds: 600 });
  expect(await strike(client, STRIKES - 1)).toMatchObject(refused);
});

test("strikes of several minutes add up", async () => {
  const { client } = await keyWithOneRequestAMinute();
  for (let i = 0; i < 4; i++) {
    expect(await strike(client, 24)).toMatchObject(refused);
    await service.advance({ seconds: 61 });
  }
  expect(await strike(client, 3)).toMatchObject(refused);
  expect(await client.get("/v1/pets")).toMatchObject(banned);
});

test("a key with a larger limit per minute is allowed as many strikes", async () => {
  const client = await service.withKey({ limits: { perMinute: 120, perDay: 100_000 } });
  await client.spend(121);
  await service.advance({ seconds: 2 });
  expect(await client.spend(119)).toMatchObject(refused);
  expect(await client.get("/v1/pets")).toMatchObject(banned);
});

test("refusals by the limit per day are strikes too", async () => {
  const client = await service.withKey({ limits: { perMinute: 10, perDay: 1 } });
  await client.spend(2);
  await service.advance({ seconds: 2 });
  expect(await client.spend(STRIKES - 1)).toMatchObject({ status: 429, body: { code: "quota_exceeded" } });
  expect(await client.get("/v1/pets")).toMatchObject(banned);
});

test("each further ban is longer, up to a day, and the first length applies again a day after the last ban", async () => {
  const { client } = await keyWithOneRequestAMinute();
  const banAgain = async (): Promise<number> => {
    const end = Number((await strike(client, STRIKES)).headers.get("X-RateLimit-Reset"));
    const length = end - Math.ceil(service.now / 1000);
    await service.setClock(end * 1000);
    return length;
  };
  for (const length of LADDER) expect(await banAgain()).toBe(length);
  await service.advance({ seconds: 86_400 });
  expect(await banAgain()).toBe(LADDER[0] ?? 0);
});

test("when an operator lifts a ban, strikes and previous bans are forgotten", async () => {
  const { id, client } = await keyWithOneRequestAMinute();
  expect(await strike(client, STRIKES)).toMatchObject(banned);
  await service.changeKey((keys) => keys.unban(id, service.now));
  expect(await client.get("/v1/pets")).toMatchObject(refused);
  await service.advance({ seconds: 60 });
  expect((await client.get("/v1/pets")).status).toBe(200);
  const again = await strike(client, STRIKES);
  expect(Number(again.headers.get("X-RateLimit-Reset")) - Math.ceil(service.now / 1000)).toBe(300);
});

test("a ban affects only one key", async () => {
  const { client } = await keyWithOneRequestAMinute();
  const { client: other } = await keyWithOneRequestAMinute();
  expect(await strike(client, STRIKES)).toMatchObject(banned);
  expect((await other.get("/v1/pets")).status).toBe(200);
  expect((await service.anonymous().get("/v1/pets")).status).toBe(401);
});

test("a client that waits as long as Retry-After says is never banned, however many requests it sends at once", async () => {
  const { secret } = await service.createKey({ limits: { perMinute: 60, perDay: 200 } });
  const client = service.withSecret(secret);
  for (let round = 0; round < 6; round++) {
    const answers = await Promise.all(Array.from({ length: 150 }, () => client.get("/v1/pets?limit=1")));
    const waits = answers.map(({ headers }) => Number(headers.get("Retry-After")));
    await service.advance({ seconds: Math.max(...waits) });
    expect((await client.get("/v1/usage")).body).toMatchObject({ strikes: 0, ban: null });
  }
});
