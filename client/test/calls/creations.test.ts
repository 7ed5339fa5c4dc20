import { expect, test } from "bun:test";
import { states } from "../../../test/support/markdown.ts";
import { useService } from "../../../test/support/use-service.ts";
import { petstoreOf } from "../support/petstore.ts";
import { UnsteadyLine } from "../support/unsteady-line.ts";

const CREATIONS = 1_000;

const service = useService();

test("1,000 creations over a network that cuts every fifth connection at a random byte add exactly 1,000 pets", async () => {
  states(
    "client/README.md",
    "Each creation has an `Idempotency-Key`, so it happens once, however often the client retries.",
  );
  // A request and its response are about 1,000 bytes.
  const line = await UnsteadyLine.to(Number(new URL(service.url).port), 5, 900);
  let retries = 0;
  let replays = 0;
  const petstore = await petstoreOf(service, {
    baseUrl: `http://127.0.0.1:${line.port}/v1`,
    maxRetries: 12,
    onRetry: () => {
      retries += 1;
    },
    // One connection per request, so that each may be cut.
    fetch: async (url, init) => {
      const response = await fetch(url, { ...init, keepalive: false });
      if (response.headers.has("Idempotency-Replayed")) replays += 1;
      return response;
    },
    clock: {
      now: () => performance.now(),
      random: Math.random,
      // The service's part of a delay stays; the client's part is divided by 100, because there are hundreds.
      sleep: (ms) => Bun.sleep(ms >= 1000 ? ms : ms / 100),
    },
  });
  const names = Array.from({ length: CREATIONS }, (_, index) => `Line ${index}`);
  const created: { id: unknown; name: string }[] = [];
  const rest = [...names];
  const worker = async () => {
    for (let name = rest.pop(); name !== undefined; name = rest.pop()) {
      created.push(await petstore.createPet({ name, categoryId: 1 }));
    }
  };
  await Promise.all(Array.from({ length: 20 }, worker));
  line.close();

  const direct = await petstoreOf(service);
  const there: { id: unknown; name: string }[] = [];
  for await (const pet of direct.pets()) there.push(pet);
  expect(there.map(({ name }) => name).sort()).toEqual(names.sort());
  expect(created.sort((a, b) => Number(a.id) - Number(b.id))).toEqual(there);
  // Connections were cut, and retries of creations were necessary.
  expect(line.cuts / line.connections).toBeWithin(0.14, 0.26);
  expect(retries).toBeGreaterThan(100);
  expect(replays).toBeGreaterThan(20);
  states("client/README.md", "so it happens once, however often the client retries.");
});
