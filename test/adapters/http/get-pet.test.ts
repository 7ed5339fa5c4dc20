import { beforeAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Answer, BASE_URL } from "../../support/client.ts";
import { eventually } from "../../support/eventually.ts";
import { states } from "../../support/markdown.ts";
import { useKey, useService } from "../../support/use-service.ts";

const service = useService();
const { client } = useKey(service);
beforeAll(async () => {
  await client.post("/v1/pets", { name: "Rex", categoryId: 7 });
});

test("returns the pet with this id", async () => {
  states("docs/deprecation.md", "called getPet, returns one pet.");
  expect(await client.get("/v1/pets/1")).toMatchObject({
    status: 200,
    text: '{"id":1,"name":"Rex","categoryId":7,"status":"available"}',
  });
});

describe("any text that is not the id of a pet is 404:", () => {
  test.each([
    "2",
    "0",
    "-1",
    "+1",
    "01",
    "1.0",
    "1e0",
    "0x1",
    "abc",
    "null",
    "1,2",
    "%201",
    "1%20",
    "1%00",
    "%EF%BC%91",
    "%",
    "%zz",
    "%FF",
    "..%2F1",
    "9007199254740993",
    "9223372036854775807",
    "9223372036854775808",
    "-9223372036854775809",
    "9".repeat(2_000),
  ])("%.40s", async (petId) => {
    states(
      "docs/deprecation.md",
      "Anything that is not the id of a pet is 404: letters, `0`, `-1`, `1.0`, `01` or a number beyond int64.",
    );
    expect(await client.get(`/v1/pets/${petId}`)).toMatchObject({ status: 404, body: { code: "pet_not_found" } });
  });
});

describe("is deprecated, as every response shows:", () => {
  function expectDeprecated({ headers }: Answer, successor: string): void {
    expect(headers.get("Deprecation")).toBe("@1795132800");
    expect(headers.get("Sunset")).toBe("Thu, 05 Dec 2030 00:00:00 GMT");
    expect(headers.get("Link")).toBe(
      `<${successor}>; rel="successor-version", <http://petstore.test/docs/deprecation>; rel="deprecation"; type="text/html"`,
    );
  }

  test("200", async () => expectDeprecated(await client.get("/v1/pets/1"), `${BASE_URL}/pets?ids=1`));
  test("404", async () => expectDeprecated(await client.get("/v1/pets/99"), `${BASE_URL}/pets?ids=99`));
  test("404 for an invalid id", async () => expectDeprecated(await client.get("/v1/pets/abc"), `${BASE_URL}/pets`));

  test("200 to HEAD", async () => {
    states(
      "docs/deprecation.md",
      "`Deprecation` | Since when it is deprecated, a Unix timestamp:",
      "`Sunset` | When it will be removed:",
      "`Link` | The replacement (`successor-version`), and this page (`deprecation`)",
    );
    const answer = await client.request("/v1/pets/1", { method: "HEAD" });
    expect(answer.status).toBe(200);
    expectDeprecated(answer, `${BASE_URL}/pets?ids=1`);
  });

  test("401", async () => {
    const answer = await service.anonymous().get("/v1/pets/1");
    expect(answer.status).toBe(401);
    expectDeprecated(answer, `${BASE_URL}/pets?ids=1`);
  });

  test("403", async () => {
    const answer = await (await service.withKey({ scopes: ["pets:write"] })).get("/v1/pets/1");
    expect(answer.status).toBe(403);
    expectDeprecated(answer, `${BASE_URL}/pets?ids=1`);
  });

  test("429", async () => {
    const limited = await service.withKey({ limits: { perMinute: 1, perDay: 10 } });
    await limited.get("/v1/pets/1");
    const answer = await limited.get("/v1/pets/1");
    expect(answer.status).toBe(429);
    expectDeprecated(answer, `${BASE_URL}/pets?ids=1`);
  });
});

test("no other operation is deprecated", async () => {
  states("docs/deprecation.md", "Today there is one: getPet.");
  for (const answer of [await client.get("/v1/pets"), await client.post("/v1/pets", { name: "Max", categoryId: 1 })]) {
    expect(answer.headers.has("Deprecation")).toBe(false);
    expect(answer.headers.has("Sunset")).toBe(false);
  }
  states("docs/interface.md", "is marked as deprecated, with a date, long before it goes. Today that is getPet.");
});

test("the requested path never breaks the base address in a link", async () => {
  const answer = await client.get("/v1/pets/1%3E%3B%20rel=%22evil%22");
  expect(answer.status).toBe(404);
  expect(answer.headers.get("Link")).toStartWith(`<${BASE_URL}/pets>; rel="successor-version"`);
});

test("its calls are counted per key", async () => {
  const { secret, id } = await service.createKey();
  const caller = service.withSecret(secret);
  for (let i = 0; i < 3; i++) await caller.get("/v1/pets/1");
  await caller.get("/v1/pets");
  const { counters } = service.stores;
  await eventually(async () => (await counters.deprecatedCallsOf(id)).get("getPet")?.calls === 3);
  expect([...(await counters.deprecatedCallsOf(id))]).toEqual([
    ["getPet", { calls: 3, lastCalledAt: service.now, userAgent: expect.any(String) }],
  ]);
});

test("docs/deprecation.md compares it with the list of one id as they are", async () => {
  states("docs/deprecation.md", "List the one id: `GET /pets?ids={petId}`.");
  const listed = (ids: string) => client.get(`/v1/pets?ids=${ids}`);
  const got = (id: string) => client.get(`/v1/pets/${id}`);
  const refusal = async (answers: Promise<Answer>[]) => {
    const all = (await Promise.all(answers)).map(({ status, body }) => `${status} \`${body.code}\``);
    return [...new Set(all)].join(", ");
  };
  const remaining = ({ headers }: Answer) => Number(headers.get("X-RateLimit-Remaining"));
  const costOf = async (ask: () => Promise<Answer>) => remaining(await ask()) - remaining(await ask());

  expect((await got("1")).body).toMatchObject({ id: 1 });
  expect((await listed("1")).body).toEqual([(await got("1")).body]);
  const unknown = await listed("77");
  expect(unknown.body).toEqual([]);
  const most = Array.from({ length: 100 }, (_, i) => i + 1);
  expect([(await listed(most.join())).status, (await listed([...most, 101].join())).status]).toEqual([200, 400]);
  expect([await costOf(() => got("1")), await costOf(() => listed("1,2,3"))]).toEqual([1, 1]);
  const invalid = ["abc", "0", "-1", "9223372036854775808"];

  const page = readFileSync(join(import.meta.dir, "../../../docs/deprecation.md"), "utf8");
  const [, table = ""] = /^\| \| getPet \| .*\n\|[-|]+\|\n((?:\|.*\n)+)/m.exec(page) ?? [];
  const rows = table.trimEnd().split("\n");
  expect(rows).toEqual([
    "| Response | a Pet | an array of one Pet |",
    `| Unknown pet | ${await refusal([got("77")])} | ${unknown.status} and an empty array |`,
    `| Invalid id: letters, \`0\`, \`-1\`, a number beyond int64 | ${await refusal(invalid.map(got))} | ${await refusal(invalid.map(listed))} |`,
    `| Several pets | one request each | up to ${most.length} ids in one request |`,
    "| Counts as | one request | one request, however many ids |",
  ]);
});
