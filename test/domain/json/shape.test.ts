import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { z } from "zod";
import { operations as administration } from "../../../src/adapters/http/admin/operations/index.ts";
import { operations } from "../../../src/adapters/http/operations/index.ts";
import { parseJson } from "../../../src/domain/json/parse.ts";
import { flatShape, shapeOf } from "../../../src/domain/json/shape.ts";
import { holds } from "../../support/holds.ts";

const bytesOf = (text: string) => new TextEncoder().encode(text);
const bodies = [...operations, ...administration].flatMap(({ id, request }) =>
  request?.body === undefined ? [] : [[id, request.body] as const],
);
const keys = [
  ...["name", "categoryId", "status", "petId", "token", "role", "graceSeconds", "plan", "limits", "scopes", "disabled"],
  ...["expiresAt", "perMinute", "perDay", "owner", "email", "note", "__proto__", "other"],
];
const texts = fc.oneof(
  fc.string({ maxLength: 3 }),
  fc.constantFrom("pets:read", "pro", "sold", "Rex", "admin", "approved", "a@b"),
);
const value = fc.letrec((tie) => ({
  any: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.oneof(texts, fc.integer({ min: -2, max: 100 }), fc.double(), fc.constantFrom(true, null)),
    fc.array(tie("any"), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...keys), tie("any"), { maxKeys: 6 }),
  ),
})).any;

describe("a body has the same result without what the schema does not read:", () => {
  test.each(bodies)("%s", (_, schema) => {
    const shape = shapeOf(schema);
    holds(
      fc.property(value, (generated) => {
        const bytes = bytesOf(JSON.stringify(generated));
        const [whole, part] = [schema.safeParse(parseJson(bytes)), schema.safeParse(parseJson(bytes, "", shape))];
        expect(part.data).toEqual(whole.data);
        expect(part.error?.issues).toEqual(whole.error?.issues);
      }),
    );
  });
});

test("only what a schema reads is kept", () => {
  const schema = z.object({ name: z.string(), tags: z.array(z.string()).optional() });
  const text = '{"name":[1,{"a":2}],"t\\u0061gs":["a",["b"]],"other":1,"\\u006eam":2}';
  expect(parseJson(bytesOf(text), "", shapeOf(schema))).toStrictEqual({ name: [], tags: ["a", []] });
});

test.each([
  ['{"x":[1,]}', "is not valid JSON"],
  ['{"x":{"a":1,"\\u0061":2}}', "names a key twice in one object"],
  ['{"x":1,"x":2}', "names a key twice in one object"],
  ['{"x":"\\u00g0"}', "is not valid JSON"],
  ['{"x":"\\x"}', "is not valid JSON"],
  ['{"x":01}', "is not valid JSON"],
  ['{"x":1.}', "is not valid JSON"],
  [`{"x":${"[".repeat(32)}${"]".repeat(32)}}`, "is nested deeper than 32 levels"],
])("what is not kept is checked: %s", (text, problem) => {
  expect(() => parseJson(bytesOf(text), "The text", flatShape([]))).toThrow(problem);
});
