import { expect, test } from "bun:test";
import { noActivity } from "../../../src/domain/keys/store.ts";
import { changedStates } from "../../support/changed-states.ts";
import { states } from "../../support/markdown.ts";
import { startService } from "../../support/service.ts";
import { useOperator, useService } from "../../support/use-service.ts";

const service = useService();
const { client: admin } = useOperator(service);

/** What only the log may say. */
const CAUSE = /invalid|range|date|stack|\.ts|src\//i;
const MESSAGE = "The service failed. The X-Request-Id of this response identifies the error in its log.";
/** A time that no calendar has, as damage to the stored data leaves it. */
const NO_TIME = 9e15;

test("a failure of the service is a 500 that names its request, and only the log knows the cause", async () => {
  states("SECURITY.md", "never a stack, SQL or a path.");
  states(
    "docs/errors.md",
    "Report it with the `X-Request-Id` of the response.",
    "the operator finds the request by it.",
  );
  await using damaged = await startService();
  const { id, secret } = await damaged.createKey();
  const window = { count: 0, resetAt: 0 };
  const ban = { since: damaged.now, until: NO_TIME, step: 0 };
  const state = { minute: window, day: window, banState: { strikes: [], ban } };
  await damaged.stores.counters.save(changedStates({ [id]: state }), noActivity());
  await damaged.kill();
  await damaged.start();

  const answer = await damaged.withSecret(secret).get("/v1/usage", { "X-Request-Id": "failed-1" });
  expect(answer.status).toBe(500);
  expect(answer.body).toEqual({ code: "internal_error", message: MESSAGE, status: 500 });
  expect([...answer.headers.values()].join()).not.toMatch(CAUSE);
  expect(answer.headers.get("X-Request-Id")).toBe("failed-1");
  expect(answer.headers.get("Cache-Control")).toBe("no-store");
  expect(answer.headers.get("Retry-After")).toBeNull();
  expect(answer.headers.get("RateLimit-Policy")).toContain('"minute";q=');
  const logged = damaged.output.filter((line) => line.includes("failed-1")).map((line) => JSON.parse(line));
  expect(logged).toMatchObject([{ level: 50, requestId: "failed-1", msg: MESSAGE, err: { type: "RangeError" } }]);
  expect((await (await damaged.withKey()).get("/v1/usage")).status).toBe(200);
});

test("the administration interface hides the cause as well", async () => {
  const { id } = await service.createKey();
  await using store = await service.store.connect();
  await store.run(`UPDATE keys SET created_at = ${NO_TIME} WHERE id = '${id}'`);
  const answer = await admin.get(`/admin/v1/keys/${id}`, { "X-Request-Id": "failed-2" });
  expect(answer.status).toBe(500);
  expect(answer.body).toEqual({ code: "internal_error", message: MESSAGE, status: 500 });
  expect([...answer.headers.values()].join()).not.toMatch(CAUSE);
  const logged = service.output.filter((line) => line.includes("failed-2")).map((line) => JSON.parse(line));
  expect(logged).toMatchObject([{ level: 50, requestId: "failed-2", err: { type: "RangeError" } }]);
});
