import { describe, expect, test } from "bun:test";
import { states } from "../../support/markdown.ts";
import { useKey, useService } from "../../support/use-service.ts";

const service = useService();
const { client } = useKey(service);

const REX = { name: "Rex", categoryId: 1 };

describe("a body is accepted as", () => {
  test.each([
    "application/json",
    "APPLICATION/JSON",
    "application/json;charset=utf-8",
    'application/json; charset="UTF-8"',
    "application/json; charset=utf8",
    "application/json; charset=UTF8",
    "application/json ; charset=utf-8",
    "application/json; profile=x",
    "application/json;",
  ])("%s", async (type) => {
    expect((await client.post("/v1/pets", REX, { "Content-Type": type })).status).toBe(201);
  });

  test("one with the encoding identity", async () => {
    expect((await client.post("/v1/pets", REX, { "Content-Encoding": "identity" })).status).toBe(201);
  });
});

describe("a body is refused as", () => {
  test("is what the documents say", () => {
    states(
      "docs/errors.md",
      "The body is not declared as `application/json` (for `PATCH` also `application/merge-patch+json`), is compressed, or has a charset other than UTF-8.",
    );
  });
  test.each([
    "text/plain",
    "text/json",
    "application/jsonx",
    "application/json-patch+json",
    "application/vnd.api+json",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "application/json; charset=iso-8859-1",
    "application/json; charset=utf-16",
    "*/*",
    "x",
  ])("%s", async (type) => {
    states(
      "docs/interface.md",
      "415 | Error, `unsupported_media_type` | The body is not `application/json`, names a charset other than UTF-8,",
    );
    expect(await client.post("/v1/pets", REX, { "Content-Type": type })).toMatchObject({
      status: 415,
      body: { code: "unsupported_media_type", status: 415 },
    });
  });

  test("one without a media type", async () => {
    const answer = await client.request("/v1/pets", {
      method: "POST",
      body: new TextEncoder().encode(JSON.stringify(REX)),
    });
    expect(answer.status).toBe(415);
  });

  test("no body at all", async () => {
    const message = expect.stringContaining("The request body is empty. ");
    expect(await client.request("/v1/pets", { method: "POST" })).toMatchObject({ status: 415, body: { message } });
  });

  test.each(["gzip", "br", "deflate", "identity, gzip", "x"])("one that is encoded with %s", async (encoding) => {
    states("docs/interface.md", "or has a `Content-Encoding`.");
    expect((await client.post("/v1/pets", REX, { "Content-Encoding": encoding })).status).toBe(415);
  });
});
