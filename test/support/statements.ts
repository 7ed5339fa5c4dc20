import { test } from "bun:test";
import type { TestPetstore } from "../../src/testing/petstore.ts";
import { startPetstore } from "../../src/testing.ts";
import { call } from "../testing/call.ts";
import { openApi } from "./descriptions.ts";
import { inOneLine, pageInOneLine, says } from "./markdown.ts";

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
  "/openapi.json": textsIn(openApi.clients),
  "/admin/openapi.json": textsIn(openApi.operators),
};

/** A page, or the texts of an OpenAPI document, in one line. */
export function textOf(page: string): string {
  const text = documented[page];
  return text === undefined ? pageInOneLine(page) : inOneLine(text);
}

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
