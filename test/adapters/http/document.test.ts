import { expect, test } from "bun:test";
import { openApiDocument } from "../../../src/adapters/http/document.ts";
import { toJson } from "../../../src/domain/json/write.ts";

type Json = { [name: string]: unknown };
const isObject = (value: unknown): value is Json => typeof value === "object" && value !== null;

const document = JSON.parse(
  toJson(openApiDocument({ production: "https://a.example/v1", staging: "https://b.example/v1" })),
);

/** Every object in the document with its place, from the outside in. */
function* objectsIn(value: unknown, place = ""): Generator<[string, Json]> {
  if (!isObject(value)) return;
  yield [place, value];
  for (const [name, part] of Object.entries(value)) yield* objectsIn(part, `${place}/${name}`);
}

/** What distinguishes an object or an enumeration from others: its fields or its values. */
function formOf({ properties, enum: values }: Json): string | undefined {
  if (Array.isArray(values)) return JSON.stringify(values);
  return isObject(properties) ? Object.keys(properties).join() : undefined;
}

test("no schema is a copy of a named one", () => {
  const named = new Map<string | undefined, string>();
  for (const [name, schema] of Object.entries<Json>(document.components.schemas)) {
    if (formOf(schema) !== undefined) named.set(formOf(schema), `/components/schemas/${name}`);
  }
  expect([...named.values()]).toContain("/components/schemas/PetStatus");
  const copies = [...objectsIn(document)].filter(([place, schema]) => {
    const name = named.get(formOf(schema));
    return name !== undefined && name !== place;
  });
  expect(copies.map(([place]) => place)).toEqual([]);
});

test("a pet without a status is available, in the document too", () => {
  expect(document.components.schemas.NewPet.properties.status).toEqual({
    $ref: "#/components/schemas/PetStatus",
    default: "available",
  });
});

test("the 403 of each operation names its scope", () => {
  const messageOf = (path: string, method: string) =>
    document.paths[path][method].responses[403].content["application/json"].examples.insufficient_scope.value.message;
  expect(messageOf("/pets", "get")).toContain("the scope pets:read.");
  expect(messageOf("/pets/{petId}", "get")).toContain("the scope pets:read.");
  expect(messageOf("/pets", "post")).toContain("the scope pets:write.");
});

test("the document has contact, and no part that is empty", () => {
  expect(document.info.contact).toEqual({ name: "Pet Store Service", url: "https://a.example/docs" });
  const empty = [...objectsIn(document)].filter(([, value]) => Object.keys(value).length === 0);
  // The scopes of a bearer scheme, and the headers of the runtime's own response.
  expect([...new Set(empty.map(([place]) => place.replace(/.*\//, "")))]).toEqual(["apiKey", "headers"]);
});
