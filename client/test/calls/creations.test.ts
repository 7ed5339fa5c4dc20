import { expect, test } from "bun:test";
import { useService } from "../../../test/support/use-service.ts";
import { petstoreOf } from "../support/petstore.ts";
import { UnsteadyLine } from "../support/unsteady-line.ts";

const PATIENCE = 60_000;
const CREATIONS = 1_000;

const service = useService();

test(
  "1,000 creations through a line that cuts every fifth connection at some byte are exactly 1,000 pets",
  async () => {
    // A request and its answer together are some 1,000 bytes.
    const line = await UnsteadyLine.to(Number(new URL(service.url).port), 5, 900);
    let retries = 0;
    let replays = 0;
    const petstore = await petstoreOf(service, {
      baseUrl: `http://127.0.0.1:${line.port}/v1`,
      maxRetries: 12,
      onRetry: () => {
        retries += 1;
      },
      // A connection for each request, so that each may be cut.
      fetch: async (url, init) => {
        const response = await fetch(url, { ...init, keepalive: false });
        if (response.headers.has("Idempotency-Replayed")) replays += 1;
        return response;
      },
      clock: {
        now: () => performance.now(),
        random: Math.random,
        // The service's part of a delay is kept, of the client's a hundredth: there are hundreds of them.
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
    // The line was as bad as promised, and it was needed that a creation can be asked for again.
    expect(line.cuts / line.connections).toBeWithin(0.14, 0.26);
    expect(retries).toBeGreaterThan(100);
    expect(replays).toBeGreaterThan(20);
  },
  PATIENCE,
);
