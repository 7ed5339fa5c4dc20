import { beforeAll, expect, test } from "bun:test";
import { bearer } from "../../../support/client.ts";
import { besideLoad } from "../../../support/eventually.ts";
import { useOperator, useService } from "../../../support/use-service.ts";

const KEYS = 1_000;
const AT_ONCE = 50;
/** The time limit of a response, in ms. */
const SOON = 100;
const ROUNDS = 9;

const service = useService();
const { operator } = useOperator(service);
beforeAll(async () => {
  const useOne = async () => (await service.withKey()).get("/v1/pets?limit=1");
  for (let used = 0; used < KEYS; used += AT_ONCE) await Promise.all(Array.from({ length: AT_ONCE }, useOne));
});

test.each([
  "/admin/v1/overview",
  "/admin/v1/keys?limit=200",
  "/admin/v1/keys?limit=200&state=active&search=test",
  "/admin/v1/usage?resolution=minute",
])(`with ${KEYS} keys in use, GET %s takes less than ${SOON} ms`, async (path) => {
  const times: number[] = [];
  while (times.length < ROUNDS) {
    const asked = performance.now();
    await (await fetch(service.adminUrl + path, { headers: bearer(operator.token) })).arrayBuffer();
    times.push(performance.now() - asked);
  }
  // The fastest of several: other tests run on the same machine.
  expect(Math.min(...times)).toBeLessThan(besideLoad(SOON));
});
