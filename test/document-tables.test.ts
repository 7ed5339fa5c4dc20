import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { openApiDocument } from "../src/adapters/http/document.ts";
import { anchorOf } from "../src/adapters/http/guide/pages.ts";
import { operations } from "../src/adapters/http/operations/index.ts";
import { statusOf } from "../src/adapters/http/responses.ts";
import { petstoreCommand } from "../src/commands/petstore.ts";
import { type ErrorCode, errorCatalogue } from "../src/domain/errors.ts";
import { limitsOf, plans } from "../src/domain/limits/limits.ts";
import { orderTransitions, petTransitions } from "../src/domain/transitions.ts";
import { readConfig } from "../src/wiring/config.ts";

const read = (path: string) => readFileSync(join(import.meta.dir, "..", path), "utf8");

/** The cells of the rows below the head of the table in this text that begins so. */
function tableOf(text: string, ...head: string[]): string[][] {
  const lines = text.split("\n");
  const start = lines.findIndex((line) => line.startsWith(`| ${head.join(" | ")} |`));
  if (start === -1) return [];
  const end = lines.findIndex((line, at) => at > start && !line.startsWith("|"));
  return lines.slice(start + 2, end === -1 ? undefined : end).map((line) =>
    line
      .split(/(?<!\\)\|/)
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

const codesIn = (text: string) => [...text.matchAll(/`([^`]+)`/g)].map(([, code = ""]) => code);

/** The part of a document that a link leads to: to the next heading of this rank. */
function sectionOf(target: string): string {
  const [path = "", anchor] = target.split("#");
  const text = read(join("docs", path === "" ? "interface.md" : path));
  if (anchor === undefined) return text;
  const parts = text.split(/^(?=## )/m);
  return parts.find((part) => anchorOf(/^## (.*)/.exec(part)?.[1] ?? "") === anchor) ?? "";
}

/** A value as it stands in a table: one word, with or without the signs of code. */
const valueIn = (cell: string) => /^`?([\w./-]+)`?$/.exec(cell)?.[1];
const pages = readdirSync(join(import.meta.dir, "../docs")).filter((name) => name.endsWith(".md"));
const documents = ["README.md", "client/README.md", ...pages.map((name) => `docs/${name}`)];

test.each(documents)("%s puts before an error code no status of another code", (name) => {
  const statuses = new Map(
    (Object.keys(errorCatalogue) as ErrorCode[]).map((code): [string, number] => [code, statusOf(code)]),
  );
  // What is no request is 408 or 505, which no code has.
  const known = new Set(statuses.values());
  const wrong = [...read(name).matchAll(/(?<!, )\b([1-5]\d\d)(?: \| Error,)? \[?`([a-z_]+)`/g)].filter(
    ([, status, code = ""]) => known.has(Number(status)) && (statuses.get(code) ?? Number(status)) !== Number(status),
  );
  expect(wrong.map(([text]) => text)).toEqual([]);
});

test("a setting has the same default on each page", () => {
  const defaultIn = (rows: string[][]) =>
    rows.map(([setting = "", value = ""]) => [codesIn(setting)[0], valueIn(value)] as const);
  const all = new Map(defaultIn(tableOf(read("docs/settings.md"), "Variable", "Default")));
  const others = documents.flatMap((name) => defaultIn(tableOf(read(name), "Setting", "Default")));
  expect(others.length).toBeGreaterThan(3);
  for (const [setting, value] of others)
    if (value !== undefined && all.get(setting) !== undefined)
      expect([setting, value]).toEqual([setting, all.get(setting)]);
});

test("docs/operations.md has the defaults of the options of petstore demo", async () => {
  const demo = (await petstoreCommand("demo")).commands.find((command) => command.name() === "demo");
  const rows = tableOf(read("docs/operations.md"), "Option", "Default");
  const stated = rows.map(([option = "", value = ""]) => [codesIn(option)[0], valueIn(value)]);
  const options = demo?.options.filter(({ defaultValue }) => defaultValue !== undefined) ?? [];
  expect(options.map(({ long }) => long)).toContainAllValues(["--pets", "--seed"]);
  for (const { long, defaultValue } of options) expect(stated).toContainEqual([long, String(defaultValue)]);
});

test("docs/limits.md has the limits of each plan", () => {
  const rows = tableOf(read("docs/limits.md"), "Plan", "Requests per minute", "Requests per day");
  expect(rows).toEqual(
    plans.map((plan) => {
      const name = plan.replace(/^./, (letter) => letter.toUpperCase());
      if (plan === "enterprise") return [name, "set for the key", "set for the key"];
      const { perMinute, perDay } = limitsOf[plan];
      return [name, perMinute.toLocaleString("en"), perDay.toLocaleString("en")];
    }),
  );
});

test("docs/changing-pets.md and docs/orders.md have the statuses that may follow each other, and what becomes of the pet", () => {
  const pets = tableOf(read("docs/changing-pets.md"), "From", "To").map(([from = "", to = ""]) => [
    codesIn(from)[0],
    codesIn(to),
  ]);
  expect(Object.fromEntries(pets)).toEqual(petTransitions);
  const found: Record<string, string[]> = { placed: [], approved: [], delivered: [], cancelled: [] };
  const rows = tableOf(read("docs/orders.md"), "From", "To", "The pet becomes");
  for (const [from = "", to = ""] of rows) for (const status of codesIn(from)) found[status]?.push(...codesIn(to));
  const sorted = (statuses: readonly string[]) => statuses.toSorted();
  const bySource = Object.entries(orderTransitions).map(([from, to]): [string, string[]] => [from, sorted(to)]);
  expect(Object.entries(found).map(([from, to]): [string, string[]] => [from, sorted(to)])).toEqual(bySource);
  expect(Object.fromEntries(rows.map(([, to = "", pet = ""]) => [codesIn(to)[0], codesIn(pet)[0] ?? null]))).toEqual({
    approved: null,
    cancelled: "available",
    delivered: "sold",
  });
});

test("docs/settings.md has the ports of both deployments", () => {
  const text = read("docs/settings.md");
  for (const deployment of ["production", "staging"]) {
    const { port, admin } = readConfig({ PETSTORE_DEPLOYMENT: deployment });
    for (const value of [port, admin?.port])
      expect([deployment, value, text.includes(`${value}`)]).toEqual([deployment, value, true]);
  }
});

const document = openApiDocument(readConfig({}).baseUrls);
const links = new Map(
  [...read("docs/interface.md").matchAll(/^\| \[(\w+)\]\(([^)]+)\)/gm)].map(([, id = "", target = ""]) => [id, target]),
);

describe.each(operations.map(({ id, method, path }) => ({ id, method, path })))(
  "the section of $id",
  ({ id, method, path }) => {
    const section = sectionOf(links.get(id) ?? "?");
    const described = document.paths?.[path]?.[method];

    test("has every status that the document has, with its codes, and no other", () => {
      const rows = [...tableOf(section, "Status", "Body", "When"), ...tableOf(section, "Status", "Body")];
      const stated = rows.flatMap(([statuses = ""]) => statuses.split(", ").map(Number));
      const several = [...links.values()].filter((target) => target === links.get(id)).length > 1;
      const expected = Object.keys(described?.responses ?? {}).map(Number);
      expect(expected.filter((status) => !stated.includes(status))).toEqual([]);
      if (!several) expect(stated.filter((status) => !expected.includes(status))).toEqual([]);
      for (const [statuses = "", body = ""] of rows) {
        const codes = codesIn(body);
        if (codes.length === 0) continue;
        const known = statuses.split(", ").flatMap((status) => {
          const content = Object(described?.responses?.[status])?.content?.["application/json"];
          return Object.keys(content?.examples ?? {});
        });
        if (known.length > 0) expect([statuses, codes.toSorted()]).toEqual([statuses, known.toSorted()]);
      }
    });

    test("has the default and the bounds of every query parameter", () => {
      const rows = tableOf(section, "Query parameter", "Type", "Default", "Bounds");
      const parameters = (described?.parameters ?? []).map(Object).filter((one) => one.in === "query");
      // A list and one of its items have one section.
      if (parameters.length === 0) return;
      expect(rows.map(([name = ""]) => codesIn(name)[0]).toSorted()).toEqual(
        parameters.map(({ name }) => name).toSorted(),
      );
      for (const { name, schema } of parameters) {
        const [, , fallback = "", bounds = ""] = rows.find(([cell = ""]) => codesIn(cell)[0] === name) ?? [];
        if (schema.default !== undefined) expect(fallback).toContain(String(schema.default));
        if (schema.enum !== undefined) expect(codesIn(bounds)).toEqual(schema.enum);
        const [, least, most] = /^(−?\d+) to (\d+)/.exec(bounds) ?? [];
        const number = (text = "") => BigInt(text.replace("−", "-"));
        if (schema.minimum !== undefined && least !== undefined) {
          expect([name, number(least), number(most)]).toEqual([name, BigInt(schema.minimum), BigInt(schema.maximum)]);
        }
      }
    });
  },
);
