import { describe, expect, test } from "bun:test";
import { checksumOf, newSecret } from "../../../src/domain/keys/secret.ts";
import type { Answer } from "../../support/client.ts";
import { states } from "../../support/markdown.ts";
import { sendRaw } from "../../support/raw-socket.ts";
import { useKey, useService } from "../../support/use-service.ts";

const service = useService();
const { key } = useKey(service);

const withAuthorization = (value: string) => service.anonymous().get("/v1/pets", { Authorization: value });

function expectMissing(answer: Answer): void {
  expect(answer).toMatchObject({ status: 401, body: { code: "missing_api_key", status: 401 } });
  expect(answer.headers.get("WWW-Authenticate")).toBe('Bearer realm="petstore"');
}

function expectInvalid(answer: Answer): void {
  expect(answer).toMatchObject({ status: 401, body: { code: "invalid_api_key", status: 401 } });
  expect(answer.headers.get("WWW-Authenticate")).toBe('Bearer realm="petstore", error="invalid_token"');
}

describe("a request without a key is missing_api_key:", () => {
  test("is what the documents say", () => {
    states(
      "docs/errors.md",
      "The header `Authorization` is missing, or its scheme is not Bearer. A key in the query string does not count.",
    );
  });
  test("no header", async () => expectMissing(await service.anonymous().get("/v1/pets")));
  test.each(["", "Basic dXNlcjpwYXNz", "Bearer", "Bearer ", "Token x", "Bearerx", "Digest a=b"])(
    "Authorization: %s",
    async (value) => expectMissing(await withAuthorization(value)),
  );

  test("a key without its scheme", async () => expectMissing(await withAuthorization(key.secret)));

  test.each(["api_key", "access_token", "key", "Authorization", "authorization"])(
    "a key in the query, as %s",
    async (parameter) => expectMissing(await service.anonymous().get(`/v1/pets?${parameter}=${key.secret}`)),
  );

  test("a key in another header or in the body", async () => {
    expectMissing(await service.anonymous().get("/v1/pets", { "X-API-Key": key.secret, Cookie: `key=${key.secret}` }));
    expectMissing(await service.anonymous().post("/v1/pets", { access_token: key.secret, name: "Rex", categoryId: 1 }));
  });
});

describe("an invalid key is refused:", () => {
  test("is what the documents say", () => {
    states(
      "docs/errors.md",
      "The key does not exist, was mistyped or cut off, or belongs to the other deployment. The message says which, as far as the form of the key shows.",
    );
  });
  test("one that was never created, whose form is right", async () => {
    const answer = await withAuthorization(`Bearer ${newSecret("production")}`);
    expectInvalid(answer);
    expect(answer.body).not.toMatchObject({ message: expect.stringContaining("checksum") });
  });

  test("one with a wrong checksum", async () => {
    states("SECURITY.md", "A wrong form, checksum or deployment is refused without a lookup.");
    const last = key.secret.endsWith("0") ? "1" : "0";
    const answer = await withAuthorization(`Bearer ${key.secret.slice(0, -1)}${last}`);
    expectInvalid(answer);
    expect(answer.body.message).toContain("checksum");
  });

  test("one of the other deployment", async () => {
    states("docs/errors.md", "Check that you copied the whole key, and that you call the right base address.");
    states("docs/upgrading.md", "or of the other deployment: the message says which.");
    states(
      "docs/interface.md",
      "There are two deployments, production and staging.",
      "a key of one is refused by the other.",
    );
    const body = key.secret.replace("pets_live_", "pets_stag_").slice(0, -6);
    const answer = await withAuthorization(`Bearer ${body}${checksumOf(body)}`);
    expectInvalid(answer);
    expect(answer.body.message).toContain("another deployment");
  });

  test.each(["x", "null", "pets_live_", "a b", '"quoted"', "x".repeat(5_000)])("%.20s", async (token) =>
    expectInvalid(await withAuthorization(`Bearer ${token}`)),
  );

  test("one in another case, cut short, or with additional characters", async () => {
    states("docs/upgrading.md", "A client gets 401 `invalid_api_key` | The key is mistyped, cut off,");
    expectInvalid(await withAuthorization(`Bearer ${key.secret.toLowerCase()}`));
    expectInvalid(await withAuthorization(`Bearer ${key.secret.slice(0, -1)}`));
    expectInvalid(await withAuthorization(`Bearer ${key.secret}x`));
    expectInvalid(await withAuthorization(`Bearer ${key.secret}, x`));
  });

  test("two Authorization headers, even with the same valid key", async () => {
    const answer = await sendRaw(
      service.url,
      `GET /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key.secret}\r\nAuthorization: Bearer ${key.secret}\r\nConnection: close\r\n\r\n`,
    );
    expect(answer.status).toBe(401);
    expect(JSON.parse(answer.body)).toMatchObject({ code: "invalid_api_key" });
  });
});

test.each(["Bearer", "bearer", "BEARER", "bEaReR"])("the scheme may be written %s", async (scheme) => {
  expect((await withAuthorization(`${scheme} ${key.secret}`)).status).toBe(200);
});

test("spaces around the key do not count", async () => {
  for (const value of [`Bearer   ${key.secret}`, `Bearer ${key.secret}  `])
    expect((await withAuthorization(value)).status).toBe(200);
});

test("the key in the header counts, not one in the query", async () => {
  const client = service.withSecret(key.secret);
  expect((await client.get(`/v1/pets?api_key=${newSecret("production")}`)).status).toBe(200);
});

describe("an unauthenticated client does not learn what exists:", () => {
  test.each([
    ["GET", "/v1"],
    ["GET", "/v1/"],
    ["GET", "/v1/nothing"],
    ["DELETE", "/v1/pets"],
    ["OPTIONS", "/v1/pets"],
    ["GET", "/v1/pets/999"],
    ["GET", "/v1/pets?limit=0"],
    ["POST", "/v1/pets"],
    ["GET", "/%761/nothing"],
  ])("%s %s", async (method, path) => {
    states("docs/authentication.md", "An unauthenticated client learns nothing about paths.");
    states(
      "SECURITY.md",
      "Discovering paths | Authentication comes before routing: without a key, every path under `/v1` returns the same response.",
    );
    expectMissing(await service.anonymous().request(path, { method }));
  });
});

test("no error response repeats the key", async () => {
  const wrong = `${key.secret.slice(0, -6)}000000`;
  const answer = await withAuthorization(`Bearer ${wrong}`);
  expect(answer.text + JSON.stringify([...answer.headers])).not.toContain(wrong.slice(10, 30));
});
