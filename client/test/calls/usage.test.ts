import { expect, test } from "bun:test";
import { states } from "../../../test/support/markdown.ts";
import { useService } from "../../../test/support/use-service.ts";
import { clockOf, petstoreOf } from "../support/petstore.ts";

const service = useService();

test("usage returns the windows and the requests of the last 24 hours", async () => {
  states(
    "client/README.md",
    "`usage` returns what the key has used and has left, with its requests of the last 24 hours.",
  );
  const petstore = await petstoreOf(service, { apiKey: (await service.createKey({ plan: "pro" })).secret });
  await petstore.listPets();
  await petstore.createPet({ name: "Counted", categoryId: 1 });
  const { plan, minute, day, strikes, ban, last24Hours } = await petstore.usage();
  expect({ plan, strikes, ban }).toEqual({ plan: "pro", strikes: 0, ban: null });
  expect([minute.used, day.used, day.limit - day.remaining]).toEqual([2, 2, 2]);
  expect(last24Hours).toHaveLength(24);
  expect(last24Hours.at(-1)?.byOperation).toMatchObject({ listPets: 1, createPet: 1 });
});

test("usage waits for no limit, also while other calls do, and counts in none", async () => {
  states("client/README.md", "It counts in no limit, waits for none, and works during a ban: your usage.");
  const { secret } = await service.createKey({ limits: { perMinute: 1, perDay: 100 } });
  const petstore = await petstoreOf(service, { apiKey: secret });
  await petstore.listPets();
  const controller = new AbortController();
  const waiting = petstore.listPets({}, { signal: controller.signal });
  expect((await petstore.usage()).minute).toMatchObject({ used: 1, remaining: 0 });
  expect((await petstore.usage()).day.used).toBe(1);
  controller.abort(new Error("enough"));
  await expect(waiting).rejects.toThrow("enough");
  states("client/README.md", "It counts in no limit, waits for none,");
});

test("usage before the first request does not shift the windows: no call is refused afterwards", async () => {
  const { secret } = await service.createKey({ limits: { perMinute: 2, perDay: 1_000 } });
  const statuses: number[] = [];
  const petstore = await petstoreOf(service, {
    apiKey: secret,
    clock: clockOf(service),
    fetch: async (url, init) => {
      const response = await fetch(url, init);
      statuses.push(response.status);
      return response;
    },
  });
  for (let round = 0; round < 10; round++) {
    // The window shown here ends up to a second before the one that the next request opens.
    await service.setClock(Math.floor(service.now / 1000) * 1000 + 60_950);
    await petstore.usage();
    await service.setClock(service.now + 550);
    for (let call = 0; call < 5; call++) await petstore.listPets({ limit: 1 });
  }
  expect(statuses.filter((status) => status !== 200)).toEqual([]);
});
