import { describe, expect, test } from "bun:test";
import { states } from "../../support/markdown.ts";
import { useKey, useService } from "../../support/use-service.ts";

const service = useService();
const { client } = useKey(service);

const REX = '"name":"Rex","categoryId":1';
const bytesOf = (...parts: (string | number[])[]) =>
  new Uint8Array(
    Buffer.concat(parts.map((part) => (typeof part === "string" ? Buffer.from(part) : Buffer.from(part)))),
  );

async function expectRefused(body: string | Uint8Array): Promise<void> {
  expect(await client.post("/v1/pets", body)).toMatchObject({ status: 400, body: { code: "invalid_json" } });
}

async function expectAdded(body: string | Uint8Array): Promise<void> {
  expect(await client.post("/v1/pets", body)).toMatchObject({ status: 201 });
}

describe("a body that is not JSON is refused:", () => {
  test("is what the documents say", () => {
    states("docs/errors.md", "The body is empty, is not valid JSON in UTF-8,");
  });
  test.each(["", " ", "{", "}", "{]", "[}", `{${REX},}`, `{${REX}}}`, `{${REX}} x`, `{'name':'Rex'}`, "{name:1}"])(
    "%p",
    expectRefused,
  );
  test.each([
    "nul",
    "undefined",
    `/* */{${REX}}`,
    `{"name":"R\nx","categoryId":1}`,
    `{"name":"\\x","categoryId":1}`,
    '"',
  ])("%p", expectRefused);
  test("a NUL byte after it", () => expectRefused(`{${REX}}\0`));
});

test("white space around and within it is ignored", () => expectAdded(` \t\r\n{ ${REX}\n} \n`));

describe("nesting", () => {
  const nested = (levels: number, open: string, close: string) =>
    `{${REX},"deep":${open.repeat(levels - 1)}1${close.repeat(levels - 1)}}`;

  test("of 32 levels is accepted", async () => {
    await expectAdded(nested(32, "[", "]"));
    await expectAdded(nested(32, '{"a":', "}"));
  });

  test("of 33 levels is refused", async () => {
    states("SECURITY.md", "32 levels");
    states("docs/interface.md", "at most 32 levels deep,");
    states("docs/errors.md", "is nested deeper than 32 levels,");
    await expectRefused(nested(33, "[", "]"));
    await expectRefused(nested(33, '{"a":', "}"));
  });

  test("without an end is refused at once", () => expectRefused("[".repeat(65_536)));

  test("does not include brackets within strings", () => expectAdded(`{${REX},"deep":"${"[{".repeat(100)}\\"["}`));
});

describe("a duplicate key is refused:", () => {
  test("is what the documents say", () => {
    states("docs/errors.md", "contains a key twice in one object,");
  });
  test.each([
    `{${REX},"name":"Max"}`,
    `{${REX},"n\\u0061me":"Max"}`,
    `{${REX},"\\u006e\\u0061\\u006D\\u0065":"Max"}`,
    `{${REX},"other":{"a":1,"a":1}}`,
    `{${REX},"other":[{"b":1},{"a":1,"b":2,"a":3}]}`,
    `{${REX},"":1,"":2}`,
    `{${REX},"\\ud83d\\udc15":1,"\u{1F415}":2}`,
    `{${REX},"__proto__":1,"__proto__":2}`,
    `{${REX},"a\\/b":1,"a/b":2}`,
  ])("%s is twice", async (body) => {
    states("docs/interface.md", "no object may contain a key twice.");
    await expectRefused(body);
  });

  test("but the same key in different objects is fine", () =>
    expectAdded(`{${REX},"other":{"name":1,"deeper":{"name":[{"name":1},{"name":2}]}}}`));

  test("but similar keys are fine", () => expectAdded(`{${REX},"Name":1,"e\u0301":1,"\u00e9":2,"n\\\\u0061me":1}`));

  test("but values that equal a key are fine", () => expectAdded(`{${REX},"a":"a","b":["b","b","b"]}`));
});

describe("bytes that are not UTF-8 are refused:", () => {
  test.each([
    ["a lone byte", [0xff]],
    ["a lone continuation", [0x80]],
    ["an overlong form", [0xc0, 0xaf]],
    ["a truncated form", [0xe2, 0x82]],
    ["a surrogate", [0xed, 0xa0, 0x80]],
    ["beyond U+10FFFF", [0xf4, 0x90, 0x80, 0x80]],
  ])("%s in a name", async (_, bytes) => {
    states("docs/interface.md", "JSON is parsed strictly: it must be valid UTF-8");
    await expectRefused(bytesOf('{"name":"R', bytes, 'x","categoryId":1}'));
  });

  test("UTF-16", () => expectRefused(new Uint8Array(Buffer.from(`\ufeff{${REX}}`, "utf16le"))));
});

test("a byte order mark is refused, as RFC 8259 allows", () => expectRefused(bytesOf([0xef, 0xbb, 0xbf], `{${REX}}`)));

test.each([
  ["an empty body", bytesOf(), "The request body is empty."],
  ["white space alone", bytesOf(" \r\n"), "The request body is empty."],
  [
    "a byte order mark",
    bytesOf([0xef, 0xbb, 0xbf], `{${REX}}`),
    "The request body begins with a byte order mark: leave it out.",
  ],
])("%s is named", async (_, body, message) => {
  states("docs/errors.md", "begins with a byte order mark,");
  expect(await client.post("/v1/pets", body)).toMatchObject({ status: 400, body: { code: "invalid_json", message } });
});

test("the error says what is wrong, and nothing about the service's internals", async () => {
  const answer = await client.post("/v1/pets", "{");
  expect(answer.body).toEqual({ code: "invalid_json", message: "The request body is not valid JSON.", status: 400 });
});
