import { describe, expect, test } from "bun:test";
import { states } from "../../support/markdown.ts";
import { useService } from "../../support/use-service.ts";

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const service = useService();

const idFor = async (given: string) =>
  (await service.anonymous().get("/livez", { "X-Request-Id": given })).headers.get("X-Request-Id");

describe("a client's own is kept:", () => {
  test.each(["a", "0", "order-17.retry_2", "x".repeat(128), "..."])("%s", async (id) => {
    expect(await idFor(id)).toBe(id);
  });
});

describe("another form is replaced:", () => {
  test.each(["", "x".repeat(129), "a b", "a,b", "a/b", "ü", "{}", '"a"', "a:b"])("%s", async (id) => {
    expect(await idFor(id)).toMatch(UUID);
  });
});

test("every response has a different one", async () => {
  const client = await service.withKey();
  const anonymous = service.anonymous();
  const answers = [
    await client.get("/v1/pets"),
    await client.get("/v1/nothing"),
    await client.request("/v1/pets", { method: "HEAD" }),
    await anonymous.get("/v1/pets"),
    await anonymous.get("/"),
    await anonymous.get("/readyz"),
    await anonymous.get("/docs"),
    await anonymous.get("/openapi.json"),
    await anonymous.get("/nothing"),
  ];
  const ids = answers.map(({ headers }) => headers.get("X-Request-Id"));
  for (const id of ids) expect(id).toMatch(UUID);
  expect(new Set(ids).size).toBe(answers.length);
  states(
    "docs/interface.md",
    "Each response has an `X-Request-Id`, which identifies the request in the service's log.",
  );
});
