import { describe, expect, test } from "bun:test";
import type { Answer } from "../../support/client.ts";
import { states } from "../../support/markdown.ts";
import { useKey, useService } from "../../support/use-service.ts";

const service = useService();
const { client } = useKey(service);

const create = async (status = "available"): Promise<string> => {
  const { body } = await client.post("/v1/pets", { name: "Rex", categoryId: 7, status });
  return `/v1/pets/${body.id}`;
};
const patch = (path: string, body: unknown, headers: Record<string, string> = {}): Promise<Answer> =>
  client.request(path, {
    method: "PATCH",
    headers: { "Content-Type": "application/merge-patch+json", ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });

describe("changes the fields of the body, and no others:", () => {
  test("is what the documents say", () => {
    states(
      "docs/changing-pets.md",
      "`PATCH /pets/{petId}`, called updatePet, changes the fields that the body names and leaves the others as they are.",
    );
  });
  test.each([
    [{ name: "Mia" }, { name: "Mia", categoryId: 7, status: "available" }],
    [{ categoryId: -5 }, { name: "Rex", categoryId: -5, status: "available" }],
    [{ status: "pending" }, { name: "Rex", categoryId: 7, status: "pending" }],
    [
      { name: "Mia", categoryId: 1, status: "sold" },
      { name: "Mia", categoryId: 1, status: "sold" },
    ],
    [
      { id: 99, name: "Mia", toys: [] },
      { name: "Mia", categoryId: 7, status: "available" },
    ],
  ])("%p", async (change, expected) => {
    const path = await create();
    const changed = await patch(path, change);
    expect(changed).toMatchObject({ status: 200, body: expected });
    expect(changed.headers.get("Content-Type")).toBe("application/json");
    const read = await client.get(path);
    expect(read.text).toBe(changed.text);
    expect(read.headers.get("ETag")).toBe('"v2"');
    expect((await client.get(`/v1/pets?ids=${changed.body.id}`)).text).toBe(`[${changed.text}]`);
  });
  states("docs/changing-pets.md", "changes the fields that the body names and leaves the others as they are.");
});

test("keeps every int64 exact", async () => {
  states("docs/changing-pets.md", "`categoryId` | integer (int64) | Any int64.");
  const path = await create();
  const { text } = await patch(path, '{"categoryId":9223372036854775807}');
  expect(text).toContain('"categoryId":9223372036854775807');
  expect((await client.get(path)).text).toBe(text);
});

test("a body that changes nothing leaves the pet and its ETag as they are", async () => {
  states(
    "docs/changing-pets.md",
    "A body that changes nothing gets 200, and the pet keeps its ETag.",
    "200 | Pet | The pet was changed, or the body changed nothing.",
  );
  const path = await create();
  for (const body of [{}, { status: "available" }, { name: "Rex", categoryId: 7 }, { other: 1 }]) {
    const answer = await patch(path, body);
    expect(answer.status).toBe(200);
    expect(answer.headers.get("ETag")).toBe('"v1"');
  }
});

const transitions = [
  ["available", "pending", 200],
  ["available", "sold", 200],
  ["pending", "available", 200],
  ["pending", "sold", 200],
  ["sold", "available", 200],
  ["sold", "pending", 409],
] as const;

test.each(transitions)("%s to %s is %d", async (from, to, status) => {
  states(
    "docs/changing-pets.md",
    "`status` | PetStatus | One that may follow the current status.",
    "409 | Error, `invalid_transition` or `pet_reserved` | The status cannot follow the current one,",
    "Any other change is 409 `invalid_transition`, and changes nothing:",
  );
  const path = await create(from);
  const answer = await patch(path, { status: to, name: "Mia" });
  expect(answer.status).toBe(status);
  const { body } = await client.get(path);
  expect(body).toMatchObject(status === 200 ? { status: to, name: "Mia" } : { status: from, name: "Rex" });
});

test("a refused transition says what is allowed", async () => {
  states(
    "docs/errors.md",
    "A pet or an order cannot change from its current status to this one.",
    "Choose a status that may follow, of a pet or of an order: the message names them.",
  );
  expect(await patch(await create("sold"), { status: "pending" })).toMatchObject({
    status: 409,
    body: { code: "invalid_transition", message: "A pet that is sold cannot become pending, only available." },
  });
  states("docs/changing-pets.md", "Any other change is 409 `invalid_transition`, and changes nothing:");
});

describe("refuses what a creation refuses, and null:", () => {
  test.each([
    ['{"name":null}', "validation_failed", "name"],
    ['{"categoryId":null}', "validation_failed", "categoryId"],
    ['{"status":null}', "validation_failed", "status"],
    ['{"name":""}', "validation_failed", "name"],
    ['{"categoryId":1.5}', "validation_failed", "categoryId"],
    ['{"status":"gone"}', "validation_failed", "status"],
    ["[]", "validation_failed", ""],
    ["null", "validation_failed", ""],
    ['{"name":"a","name":"b"}', "invalid_json", undefined],
    ["", "invalid_json", undefined],
  ])("%s", async (body, code, field) => {
    const path = await create();
    const answer = await patch(path, body);
    expect(answer).toMatchObject({ status: 400, body: { code } });
    expect(answer.body.details?.[0].field).toBe(field);
    expect((await client.get(path)).headers.get("ETag")).toBe('"v1"');
  });
});

test("takes a merge patch or plain JSON, and no other media type", async () => {
  states(
    "docs/changing-pets.md",
    "The body is a merge patch (RFC 7396), `application/merge-patch+json` or `application/json`:",
  );
  const path = await create();
  for (const type of [
    "application/json",
    "application/merge-patch+json",
    "Application/Merge-Patch+JSON; charset=utf-8",
  ]) {
    expect((await patch(path, {}, { "Content-Type": type })).status).toBe(200);
  }
  for (const type of ["application/json-patch+json", "text/plain", "application/merge-patch"]) {
    const { status, body } = await patch(path, {}, { "Content-Type": type });
    expect(status).toBe(415);
    expect(body.message).toEndWith("with Content-Type: application/merge-patch+json or application/json.");
  }
  states("docs/changing-pets.md", "`application/merge-patch+json` or `application/json`:");
});

describe("with If-Match", () => {
  test.each(['"v1"', '"v9", "v1"', 'W/"v1"', "*", 'W/"v9", "v1"', '"v1","x y"'.replace(" ", "_")])(
    "%s the current state is changed",
    async (match) => {
      expect((await patch(await create(), { name: "Mia" }, { "If-Match": match })).status).toBe(200);
    },
  );

  test.each([
    ...['"v1-gzip"', 'W/"v1-br"', '"v1--gzip"', '"v1;gzip"', '"v1;br"', '"v1-df"', '"v1-zstd"', '"v1:gzip"', '"v1;;;"'],
    ...['"v1-gzip--gzip"', '"v1-GZIP"', '"v1-x-gzip"', '"v9-gzip", "v1-deflate"'],
  ])("%s, to which a proxy that compresses added its suffix, the current state is changed", async (match) => {
    states(
      "docs/changing-pets.md",
      'A proxy that compresses responses marks their ETags as weak (`W/"v3"`) or adds a suffix (`"v3-gzip"`, `"v3--gzip"`, `"v3;br"`): send them as you got them.',
    );
    const path = await create();
    expect((await patch(path, { name: "Mia" }, { "If-Match": match })).status).toBe(200);
    expect((await patch(path, { name: "Bo" }, { "If-Match": match })).status).toBe(412);
    states(
      "docs/changing-pets.md",
      'marks their ETags as weak (`W/"v3"`) or adds a suffix (`"v3-gzip"`, `"v3--gzip"`, `"v3;br"`): send them as you got them.',
    );
  });

  test.each([
    ...['"v1-"', '"v1gzip"', '"v1-gzipx"', '"v1-1"', '"v2-gzip"', '"v-gzip"', '"-gzip"', '"v1-gzip-v2"', '"v11-gzip"'],
    '"v2"',
    'W/"v2"',
    '"v01"',
    '"1"',
    '"v1x"',
    '"V1"',
    '"v99999999999999999"',
    '""',
    "v1",
    '"v1',
    "*, *",
    '"v1" "v2"',
    "",
    ",",
  ])("%s it is 412, and nothing is changed", async (match) => {
    const path = await create();
    expect(await patch(path, { name: "Mia" }, { "If-Match": match })).toMatchObject({
      status: 412,
      body: { code: "precondition_failed" },
    });
    expect((await client.get(path)).body.name).toBe("Rex");
  });

  test("an earlier state is 412 after a change to and fro", async () => {
    states("docs/changing-pets.md", "ETags have no meaning but whether they are equal.");
    states(
      "docs/errors.md",
      "The pet, the category or the order has changed: it has none of the ETags in `If-Match`.",
      "Read the resource again, decide again, and send the change with the new ETag:",
    );
    states(
      "docs/changing-pets.md",
      "Send it in `If-Match` with `PATCH`, `PUT` or `DELETE`: the change is made only if nobody has changed the resource since:",
    );
    const path = await create();
    await patch(path, { name: "Mia" });
    await patch(path, { name: "Rex" });
    expect((await patch(path, { name: "Bo" }, { "If-Match": '"v1"' })).status).toBe(412);
    expect((await patch(path, { name: "Bo" }, { "If-Match": '"v3"' })).status).toBe(200);
  });

  test("a change that is sent again is 412, and the pet shows it", async () => {
    states(
      "docs/changing-pets.md",
      "A change with `If-Match` is safe to retry when no response arrives: if the first attempt was made, the second one is 412, and the pet shows the change.",
    );
    const path = await create();
    const send = () => patch(path, { name: "Mia" }, { "If-Match": '"v1"' });
    expect([(await send()).status, (await send()).status]).toEqual([200, 412]);
    expect((await client.get(path)).body.name).toBe("Mia");
  });
});

describe("with If-None-Match", () => {
  test.each(['"v1"', 'W/"v1"', '"v1-gzip"', 'W/"v1--br"', '"v9", "v1"', "*", "v1", '"v1'])(
    "%s it is 412, and nothing is changed",
    async (match) => {
      const path = await create();
      expect(await patch(path, { name: "Mia" }, { "If-None-Match": match })).toMatchObject({
        status: 412,
        body: { code: "precondition_failed" },
      });
      expect((await client.get(path)).body.name).toBe("Rex");
    },
  );

  test.each(['"v2"', 'W/"v2"', '"v2-gzip"', '"v9", "v2"', ""])("%s the current state is changed", async (match) => {
    expect((await patch(await create(), { name: "Mia" }, { "If-None-Match": match })).status).toBe(200);
  });

  test("* a pet that does not exist is 404", async () => {
    expect((await patch("/v1/pets/999999", { name: "Mia" }, { "If-None-Match": "*" })).status).toBe(404);
  });
});

test.each(["0", "-1", "01", "1.0", "abc", "%00", "9223372036854775808", "999999"])("pet %s is 404", async (id) => {
  expect(await patch(`/v1/pets/${id}`, {})).toMatchObject({ status: 404, body: { code: "pet_not_found" } });
});

test("is not deprecated", async () => {
  const { headers } = await patch(await create(), {});
  for (const name of ["Deprecation", "Sunset", "Link"]) expect(headers.has(name)).toBe(false);
});

test("needs the scope pets:write", async () => {
  const path = await create();
  const reader = await service.withKey({ scopes: ["pets:read"] });
  const answer = await reader.request(path, {
    method: "PATCH",
    headers: { "Content-Type": "application/json" },
    body: "{}",
  });
  expect(answer).toMatchObject({ status: 403, body: { code: "insufficient_scope" } });
});
