import { beforeAll, describe, expect, test } from "bun:test";
import { describes } from "../../../support/descriptions.ts";
import { states } from "../../../support/markdown.ts";
import { useOperator, useService } from "../../../support/use-service.ts";

const service = useService();
const { client: admin } = useOperator(service);

const KEYS = "/admin/v1/keys";
const ADA = { name: "Ada", email: "ada@example.org" };
const create = async (body: object) => (await admin.post(KEYS, { name: "test", plan: "free", ...body })).body.key;
const patch = (id: string, body: object) =>
  admin.request(`${KEYS}/${id}`, {
    method: "PATCH",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
const details = (answer: { body: { details: { field: string; problem: string }[] } }) =>
  answer.body.details.map(({ field, problem }) => `${field} ${problem}`);

test("a key has the owner and the note that it was created with, and none without", async () => {
  states("docs/administration.md", "A key may have an owner with a `name`, an `email`, or both, and a `note`.");
  describes("NewKey.owner", "Who uses the key: a name, an e-mail address, or both.");
  const key = await create({ owner: ADA, note: "Contract 4711" });
  expect(key).toMatchObject({ owner: ADA, note: "Contract 4711" });
  expect(await create({ owner: { name: "Ada", email: null } })).toMatchObject({ owner: { name: "Ada", email: null } });
  expect((await create({ owner: { email: ADA.email } })).owner).toEqual({ name: null, email: ADA.email });
  expect(await create({})).toMatchObject({ owner: null, note: null });
});

test("a change replaces the owner or the note, null removes it, and the log has each change", async () => {
  describes("KeyChange", "null removes the owner, the note or the expiry.");
  states("docs/administration.md", "The audit log keeps the owners and notes that a key had before a change.");
  const { id } = await create({ owner: ADA, note: "old" });
  expect((await patch(id, { note: "new" })).body).toMatchObject({ owner: ADA, note: "new" });
  expect((await patch(id, { owner: { email: "bob@example.org" } })).body.owner).toEqual({
    name: null,
    email: "bob@example.org",
  });
  expect((await patch(id, { owner: null })).body).toMatchObject({ owner: null, note: "new" });
  expect((await patch(id, { owner: null, note: "new" })).body).toMatchObject({ owner: null, note: "new" });
  expect((await patch(id, { note: null })).body.note).toBeNull();
  const { entries } = (await admin.get(`/admin/v1/audit?target=${id}`)).body;
  const changes = entries.map(({ before, after }: Record<string, Record<string, unknown>>) => [
    [before?.owner, before?.note],
    [after?.owner, after?.note],
  ]);
  const bob = { email: "bob@example.org" };
  expect(changes).toEqual([
    [
      [undefined, "new"],
      [undefined, undefined],
    ],
    [
      [bob, "new"],
      [undefined, "new"],
    ],
    [
      [ADA, "new"],
      [bob, "new"],
    ],
    [
      [ADA, "old"],
      [ADA, "new"],
    ],
    [
      [undefined, undefined],
      [ADA, "old"],
    ],
  ]);
});

test.each<[object, string[]]>([
  [{ owner: {} }, ["owner must have a name, an email, or both"]],
  [{ owner: { name: null } }, ["owner must have a name, an email, or both"]],
  [{ owner: "Ada" }, ["owner must be an object with name, email, or both"]],
  [
    { owner: { name: "a <b", email: "a" } },
    [
      "owner.name must be 1 to 100 characters, not blank, without control characters and without <, > and @",
      "owner.email must be an e-mail address of 254 characters at most",
    ],
  ],
  [
    { owner: { name: "\u0000" } },
    ["owner.name must be 1 to 100 characters, not blank, without control characters and without <, > and @"],
  ],
  [{ owner: { name: 1 } }, ["owner.name must be a string"]],
  [{ note: "two\nlines" }, ["note must be 1 to 500 characters, not blank, without control characters"]],
  [{ note: "" }, ["note must be 1 to 500 characters, not blank, without control characters"]],
  [{ note: 1 }, ["note must be a string"]],
])("refuses %p", async (body, problems) => {
  states("docs/administration.md", "`owner.name` | 1 to 100 characters in one line, without `<`, `>` and `@`");
  const { id } = await create({});
  for (const answer of [await admin.post(KEYS, { name: "test", plan: "free", ...body }), await patch(id, body)]) {
    expect([answer.status, details(answer)]).toEqual([400, problems]);
  }
});

test("the longest names and addresses in the largest characters fit into the indexes", async () => {
  states(
    "docs/administration.md",
    "`owner.name` | 1 to 100 characters in one line",
    "254 characters at most",
    "`note` | 1 to 500 characters in one line",
  );
  const owner = { name: "\u0390".repeat(100), email: `${"a".repeat(242)}@example.org` };
  expect((await create({ owner, note: "🐈".repeat(500) })).owner).toEqual(owner);
  expect((await create({ owner: { name: "🐈".repeat(100) } })).owner.email).toBeNull();
  const beyond = [
    { owner: { name: "x".repeat(101) } },
    { owner: { email: `x${owner.email}` } },
    { note: "x".repeat(501) },
  ];
  for (const body of beyond) {
    expect((await admin.post(KEYS, { name: "test", plan: "free", ...body })).body.code).toBe("validation_failed");
  }
});

describe("a list of keys", () => {
  const named = async (query: string) => {
    const { keys } = (await admin.get(`${KEYS}?search=owned%20&${query}`)).body;
    return keys.map(({ name }: { name: string }) => name.replace("owned ", ""));
  };
  beforeAll(async () => {
    await service.advance({ seconds: 1 });
    const owners = [undefined, { name: "Zoë" }, { email: "B@example.org" }, { name: "zoë", email: "z@example.org" }];
    for (const [i, owner] of [...owners, { name: "Bea", email: "b@EXAMPLE.org" }].entries()) {
      await create({ name: `owned ${i}`, ...(owner && { owner }) });
      await service.advance({ seconds: 1 });
    }
  });

  test("has those of an owner: by address, or by name, in any case", async () => {
    describes(
      "listKeys.owner",
      "Only keys of the owner with this e-mail address, or of those with this name, in any case.",
    );
    states(
      "docs/administration.md",
      "`owner=ada@example.org` lists the keys with this address, `owner=Ada` those of every owner of this name.",
    );
    expect(await named("owner=b@example.org")).toEqual(["4", "2"]);
    expect(await named("owner=Anyone%20%3CB@example.org%3E")).toEqual(["4", "2"]);
    expect(await named(`owner=${encodeURIComponent("ZOE\u0308")}`)).toEqual(["3", "1"]);
    expect(await named("owner=zoë&plan=pro")).toEqual([]);
    expect(await named("owner=nobody@example.org")).toEqual([]);
  });

  test("is sorted by owner, those without one last, page by page", async () => {
    states("docs/administration.md", "`sort=owner` groups the keys of each owner");
    expect(await named("sort=owner")).toEqual(["2", "4", "3", "1", "0"]);
    const seen: string[] = [];
    let after = "";
    for (let next: string | null = ""; next !== null; after = `&after=${next}`) {
      const { body } = await admin.get(`${KEYS}?search=owned%20&sort=owner&limit=2${after}`);
      seen.push(...body.keys.map(({ name }: { name: string }) => name));
      next = body.next;
    }
    expect(seen).toEqual(["2", "4", "3", "1", "0"].map((i) => `owned ${i}`));
  });

  test("is searched by the name and the address of owners", async () => {
    states("docs/administration.md", "`search` matches ids, names, owners");
    const found = (await admin.get(`${KEYS}?search=z@EXAMPLE`)).body.keys;
    expect(found.map(({ name }: { name: string }) => name)).toEqual(["owned 3"]);
  });

  test.each([
    ["owner=", "owner must be a name, an e-mail address, or both as in Ada <ada@example.org>"],
    ["owner=a@b@c", "owner must be a name, an e-mail address, or both as in Ada <ada@example.org>"],
    ["owner=%00", "owner must be a name, an e-mail address, or both as in Ada <ada@example.org>"],
    ["sort=oldest", "sort must be newest or owner"],
  ])("refuses %s", async (query, problem) => {
    const answer = await admin.get(`${KEYS}?${query}`);
    expect([answer.status, details(answer)]).toEqual([400, [problem]]);
  });
});
