import type { RunningService } from "../support/service.ts";
import type { Library, Request } from "./library.ts";

/** How long the libraries are observed, in ms. */
const OBSERVED = 15_000;

/** The `Retry-After` of the real 429, in seconds. */
const RETRY_AFTER = 5;

/** The workers of a program that goes on after each error, and the requests per minute of its key. */
const WORKERS = 60;

/** A response in the service's log: when it was written (Unix ms), and its status. */
type Logged = { time: number; status: number };

type Key = { id: string; secret: string };

/** The columns of the table, and their cells. */
export type Row = Record<string, string>;

/** The keys with which a library rehearses: one for each rehearsal, so that their limits are separate. */
export type Keys = Record<"limited" | "unavailable" | "removed" | "lost" | "lostWithKey" | "busy", Key>;

/** Creates the keys of a library, and uses up the limit of one. */
export async function createKeys(service: RunningService): Promise<Keys> {
  const keyOf = (perMinute: number) => service.createKey({ limits: { perMinute, perDay: 100_000 } });
  const limited = await keyOf(1);
  await service.withSecret(limited.secret).get("/v1/pets?limit=1");
  return {
    limited,
    unavailable: await keyOf(1_000),
    removed: await keyOf(1_000),
    lost: await keyOf(1_000),
    lostWithKey: await keyOf(1_000),
    busy: await keyOf(WORKERS),
  };
}

/** How far the clock is to advance after the keys were created, so that their limit ends in `RETRY_AFTER`; in seconds. */
export const ADVANCE = 60 - RETRY_AFTER;

/** Lets a library meet each failure, and returns what it did. The service's clock must run. */
export async function rehearse(service: RunningService, library: Library, name: string, keys: Keys): Promise<Row> {
  const observed = new Promise((resolve) => setTimeout(resolve, OBSERVED));
  const request = (key: Key, path: string, headers: Record<string, string> = {}): Request => ({
    method: "GET",
    url: `${service.url}/v1${path}`,
    headers: { Authorization: `Bearer ${key.secret}`, ...headers },
  });
  const creation = (key: Key, headers: Record<string, string> = {}): Request => ({
    ...request(key, "/pets", {
      "Content-Type": "application/json",
      "Petstore-Simulate": "lost-answer",
      ...headers,
    }),
    method: "POST",
    body: JSON.stringify({ name: `${name} ${key.id}`, categoryId: 1 }),
  });

  const list = "/pets?limit=1";
  library.call(request(keys.limited, list));
  library.call(request(keys.unavailable, list, { "Petstore-Simulate": "service_unavailable" }));
  library.call(request(keys.removed, "/pets/1", { "Petstore-Simulate": "now=2030-12-05T00:00:00Z" }));
  library.call(creation(keys.lost));
  library.call(creation(keys.lostWithKey, { "Idempotency-Key": keys.lostWithKey.id }));
  let isObserved = false;
  const work = async () => {
    while (!isObserved) await library.call(request(keys.busy, list));
  };
  for (let worker = 0; worker < WORKERS; worker++) work();
  await observed;
  isObserved = true;
  library.stop();

  const petsOf = async (key: Key) => {
    const pets = await service.withSecret(key.secret).get(`/v1/pets?name=${encodeURIComponent(`${name} ${key.id}`)}`);
    return pets.body.length > 1 ? "one per attempt" : String(pets.body.length);
  };
  const { day } = await usageOf(service, keys.lost);
  return {
    "Waits after 429": waits(responsesTo(service, keys.limited, 429), isAllowed),
    "Waits after 503": waits(responsesTo(service, keys.unavailable, 503), isLater),
    "Repeats a 410": responsesTo(service, keys.removed, 410).length > 1 ? "yes" : "no",
    "Repeats a lost `POST`": day.used > 1 ? "yes" : "no",
    "Pets without a key": await petsOf(keys.lost),
    "Pets with a key": await petsOf(keys.lostWithKey),
    Banned: (await usageOf(service, keys.busy)).ban === null ? "no" : "yes",
  };
}

/** Whether a library waited between the first two of these responses. */
function waits([first, second]: Logged[], hasWaited: (first: Logged, second: Logged) => boolean): string {
  if (first === undefined || second === undefined) return "does not repeat";
  return hasWaited(first, second) ? "yes" : "no";
}

/** After a 429, whose wait may be over in part before a busy service begins to answer. */
const isAllowed = (_: Logged, { status }: Logged) => status !== 429;

/** After a simulated 503, by a second. The log has the time of the response, which is as late as the service was busy. */
const isLater = (first: Logged, second: Logged) => second.time - first.time > 800;

/** The responses to a key from the first with this status on, from the service's log. */
function responsesTo(service: RunningService, { id }: Key, status: number): Logged[] {
  const responses: Logged[] = service.output
    .filter((line) => line.includes(`"${id}"`) && line.includes('"msg":"request"'))
    .map((line) => JSON.parse(line));
  const first = responses.findIndex((response) => response.status === status);
  if (first === -1) throw new Error(`no response was ${status}`);
  return responses.slice(first);
}

/** What the service has counted for a key. */
async function usageOf(service: RunningService, { secret }: Key) {
  return (await service.withSecret(secret).get("/v1/usage")).body;
}
