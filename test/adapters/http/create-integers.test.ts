import { describe, expect, test } from "bun:test";
import { states } from "../../support/markdown.ts";
import { useKey, useService } from "../../support/use-service.ts";

const service = useService();
const { client } = useKey(service);

const create = (categoryId: string) => client.post("/v1/pets", `{"name":"Rex","categoryId":${categoryId}}`);

describe("categoryId keeps every digit in every response:", () => {
  test.each([
    ["9223372036854775807", "9223372036854775807"],
    ["-9223372036854775808", "-9223372036854775808"],
    ["9007199254740993", "9007199254740993"],
    ["-9007199254740993", "-9007199254740993"],
    ["9007199254740991", "9007199254740991"],
    ["0", "0"],
    ["-0", "0"],
    ["-1", "-1"],
    ["1.0", "1"],
    ["1e2", "100"],
    ["1E+2", "100"],
    ["1200e-2", "12"],
    ["9223372036854775807.000", "9223372036854775807"],
    ["9.223372036854775807e18", "9223372036854775807"],
    ["-9.223372036854775808E18", "-9223372036854775808"],
    ["0e999999999999", "0"],
    [`1${"0".repeat(30)}e-30`, "1"],
  ])("%s as %s", async (sent, answered) => {
    states("docs/quick-start.md", "`categoryId` may be any 64-bit integer,");
    states(
      "docs/interface.md",
      "Integers are exact over the whole int64 range, −9223372036854775808 to 9223372036854775807, in requests and responses. `1`, `1.0` and `1e2` are integers;",
    );
    const added = await create(sent);
    expect(added.status).toBe(201);
    const field = `"categoryId":${answered},`;
    expect(added.text).toContain(field);
    expect((await client.get(`/v1/pets/${added.body.id}`)).text).toContain(field);
    expect((await client.get(`/v1/pets?ids=${added.body.id}`)).text).toContain(field);
  });
});

describe("categoryId is refused when it is", () => {
  test.each([
    '"1"',
    '"9223372036854775807"',
    "1.5",
    "0.1",
    "1e-1",
    "9223372036854775808",
    "-9223372036854775809",
    "9223372036854775807.1",
    "9223372036854775807.0000000000000000000000001",
    "1e19",
    "1e400",
    "-1e400",
    "1e-400",
    "1e999999999999999999999",
    "9".repeat(10_000),
    "true",
    "[]",
    "{}",
    "[1]",
    "null",
  ])("%.60s", async (categoryId) => {
    states("docs/interface.md", '`"1"` and `1.5` are not.');
    const problem = "must be an integer from -9223372036854775808 to 9223372036854775807";
    expect(await create(categoryId)).toMatchObject({
      status: 400,
      body: { code: "validation_failed", details: [{ in: "body", field: "categoryId", problem }] },
    });
  });

  test.each(["01", "+1", ".5", "1.", "0x10", "1_000", "NaN", "Infinity", "1n", "--1", "1e", "- 1"])(
    "%s, which is not JSON",
    async (categoryId) => {
      expect(await create(categoryId)).toMatchObject({ status: 400, body: { code: "invalid_json" } });
    },
  );
});
