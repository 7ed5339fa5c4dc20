import { expect, test } from "bun:test";
import type { Answer, Client } from "../../support/client.ts";
import { states } from "../../support/markdown.ts";
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
  states("SECURITY.md", "and bans for keys that keep sending.");
  states(
    "docs/limits.md",
    "100 strikes within 10 minutes ban the key;",
    "A ban ends at a whole second, up to one second later.",
    "`Retry-After` and `X-RateLimit-Reset` name the end of the ban, and so does `t` of both windows in `RateLimit`; `X-RateLimit-Remaining` and `r` are 0.",
  );
  states("docs/errors.md", "The key kept sending for too long after refusals.");
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
  states(
    "CHANGELOG.md",
    "a limit by address for requests without a valid key; bans for keys that keep sending after refusals. Counters survive a restart.",
  );
  states("docs/limits.md", "gets 429 `key_banned`.");
  states("docs/limits.md", "The refused requests count in no window and do not extend the ban.");
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
  states(
    "docs/limits.md",
    "A refusal is a strike if it comes 2 seconds or more after the first refusal of its window.",
  );
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
  expect((await client.get("/v1/usage")).body.strikes).toBe(STRIKES - 1);
  states("docs/usage.md", "`strikes` | integer | Strikes of the last ten minutes;");
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
  states("docs/limits.md", "if its limit per minute is above 100, that many strikes do.");
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
  states(
    "docs/limits.md",
    "5 minutes; then 15 minutes, 1 hour and 24 hours, if the next ban comes within 24 hours of the last one's end.",
    "After `quota_exceeded` and `key_banned`, `Retry-After` may be up to 24 hours",
  );
  states("docs/errors.md", "otherwise the next ban is longer: Bans.");
  const { client } = await keyWithOneRequestAMinute();
  const banAgain = async (): Promise<number> => {
    const end = Number((await strike(client, STRIKES)).headers.get("X-RateLimit-Reset"));
    const length = end - Math.ceil(service.now / 1000);
    const wait = Number((await client.get("/v1/pets")).headers.get("Retry-After"));
    expect(wait).toBeWithin(length, length + 2);
    await service.setClock(end * 1000);
    return length;
  };
  for (const length of LADDER) expect(await banAgain()).toBe(length);
  await service.advance({ seconds: 86_400 });
  expect(await banAgain()).toBe(LADDER[0] ?? 0);
});

test("when an operator lifts a ban, strikes and previous bans are forgotten", async () => {
  states(
    "docs/upgrading.md",
    "A client gets 429 `key_banned` | It does not wait for `Retry-After`. | Have the client corrected first; then `keys unban`.",
  );
  states("docs/limits.md", "An operator can lift a ban. This also clears the strikes and the number of earlier bans.");
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
  states("docs/call-it.md", "wait for `Retry-After`, and no ban can happen to you.");
  states(
    "docs/quick-start.md",
    "A 429 has the number of seconds in `Retry-After`. A program that waits that long is never banned:",
  );
  states("docs/limits.md", "A client that honours `Retry-After` is never banned.");
  const { secret } = await service.createKey({ limits: { perMinute: 60, perDay: 200 } });
  const client = service.withSecret(secret);
  for (let round = 0; round < 6; round++) {
    const answers = await Promise.all(Array.from({ length: 150 }, () => client.get("/v1/pets?limit=1")));
    const waits = answers.map(({ headers }) => Number(headers.get("Retry-After")));
    await service.advance({ seconds: Math.max(...waits) });
    expect((await client.get("/v1/usage")).body).toMatchObject({ strikes: 0, ban: null });
  }
});
