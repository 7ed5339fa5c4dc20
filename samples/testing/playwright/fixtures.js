import { createServer } from "node:http";
import { startPetstore } from "@petstore/server/testing";
import { test as base } from "@playwright/test";
import { petNames } from "./pet-names.js";

/** Each test has a pet store of its own, and the site under test, which shows its pets. */
export const test = base.extend({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright requires it of a fixture that needs no other.
  store: async ({}, use) => {
    const store = await startPetstore({ pets: 50, seed: 7 });
    await use(store);
    await store.close();
  },
  site: async ({ store }, use) => {
    const server = createServer(async (_, response) => {
      const names = await petNames(store.url, store.key).catch((error) => [error.message]);
      response.setHeader("Content-Type", "text/html; charset=utf-8");
      response.end(
        `<!doctype html><title>Pets</title><link rel="icon" href="data:,"><ul>${names.map((name) => `<li>${name}</li>`).join("")}</ul>`,
      );
    });
    await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
    await use(`http://127.0.0.1:${server.address().port}`);
    server.close();
  },
});
