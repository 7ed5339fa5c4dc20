/** The client of this project. */
import { PetstoreClient } from "../../../client/src/main.ts";
import { makeCalls } from "./calls.mjs";

type Call = { method: string; url: string; headers: Record<string, string>; body?: string };

/** One for each key, because a client tracks the limits of its key. */
const clients = new Map<string, PetstoreClient>();

function clientOf(apiKey: string, baseUrl: string): PetstoreClient {
  const client = clients.get(apiKey) ?? new PetstoreClient({ apiKey, baseUrl });
  clients.set(apiKey, client);
  return client;
}

makeCalls(async ({ url, headers: { Authorization = "", ...headers }, body }: Call) => {
  const { origin, pathname } = new URL(url);
  const client = clientOf(Authorization.slice("Bearer ".length), origin);
  const { "Idempotency-Key": idempotencyKey, "Content-Type": _, ...others } = headers;
  const options = { headers: others, idempotencyKey };
  const id = /\/pets\/(\d+)$/.exec(pathname)?.[1];
  if (body !== undefined) return (await client.createPet(JSON.parse(body), options).withResponse()).response.status;
  if (id !== undefined) return (await client.getPet(Number(id), { headers: others }).withResponse()).response.status;
  return (await client.listPets({ limit: 1 }, { headers: others }).withResponse()).response.status;
});
