import { expect, test } from "bun:test";
import { administrationDocument } from "../../src/adapters/http/admin/document.ts";
import { openApiDocument } from "../../src/adapters/http/document.ts";
import { toJson } from "../../src/domain/json.ts";
import type { TestPetstore } from "../../src/testing/petstore.ts";
import { startPetstore } from "../../src/testing.ts";
import { readConfig } from "../../src/wiring/config.ts";
import { call } from "../testing/call.ts";
import { read } from "./markdown.ts";

/** A text of Markdown without links and marks, in one line, so that a sentence does not depend on where its lines end. */
const inOneLine = (text: string): string =>
  text
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replaceAll("**", "")
    .replaceAll(/\s+/g, " ");

/** Expects a statement, with what was observed in it, in the text of a page or of an OpenAPI document. */
export function says(text: string, statement: string): void {
  expect(text.includes(statement) ? statement : `${statement} — is not what is there`).toBe(statement);
}

/** The OpenAPI document of staging. */
export const published = JSON.parse(toJson(openApiDocument(readConfig({}).baseUrls, "staging")));

/** An object and all objects in it. */
export function objectsIn(value: unknown): Record<string, unknown>[] {
  if (typeof value !== "object" || value === null) return [];
  return [{ ...value }, ...Object.values(value).flatMap(objectsIn)];
}

/** All texts of an OpenAPI document. */
const textsIn = (document: unknown) =>
  objectsIn(document)
    .map(({ description }) => (typeof description === "string" ? description : ""))
    .join("\n");
const documented: Record<string, string> = {
  "/openapi.json": textsIn(published),
  "/admin/openapi.json": textsIn(JSON.parse(toJson(administrationDocument("staging")))),
};

/** A page, or the texts of an OpenAPI document, in one line. */
export const textOf = (page: string) => inOneLine(documented[page] ?? read(page));

/** A page, what it is about, and what its statement is as observed on a pet store; several are separated by lines or |. */
export type Statement = [page: string, what: string, observe: (store: TestPetstore) => Promise<string>];
export const PET = { name: "Rex", categoryId: 1 };
export const add = async (store: TestPetstore, pet: object = PET, headers: Record<string, string> = {}) =>
  (await call(store, "/pets", { body: pet, headers })).body;
export const patch = (store: TestPetstore, path: string, body: object, headers: Record<string, string> = {}) =>
  call(store, path, { method: "PATCH", body, headers });
export const usage = async (store: TestPetstore) => (await call(store, "/usage")).body;
export const simulating = (value: string) => ({ headers: { "Petstore-Simulate": value } });

/** Tests that pages say what is observed, each beside a pet store of its own. */
export function observed(statements: Statement[]): void {
  test.each(statements.map(([page, what, observe]) => ({ page, what, observe })))(
    "$page, beside a pet store: $what",
    async ({ page, observe }) => {
      await using store = await startPetstore({ pets: 0, orderExpiry: { hours: 1 } });
      for (const statement of (await observe(store)).split(/\n|\|(?! )/)) says(textOf(page), statement);
    },
  );
}
