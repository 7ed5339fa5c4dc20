/** Each path and method that a document writes is one of the two interfaces, or of what the service serves beside them. */
import { expect, test } from "bun:test";
import { openApi } from "./support/descriptions.ts";
import { codesIn, documents, read, withoutBlocks } from "./support/markdown.ts";

type Paths = Record<string, Record<string, unknown>>;
const pathsOf = (document: { paths: unknown }) => Object.entries(document.paths as Paths);
const forms = (prefix: string, document: { paths: unknown }) =>
  pathsOf(document).map(([path, methods]) => ({
    form: new RegExp(`^${prefix}${path.replaceAll(/\{\w+\}/g, "[^/]+")}$`),
    methods: Object.keys(methods),
  }));
const clients = forms("/v1", openApi.clients);
const operators = forms("/admin/v1", openApi.operators);
/** The operations of an address, in either form: with and without the prefix of the version. */
const found = (path: string) =>
  [...clients, ...operators].filter(
    ({ form }) => form.test(path) || (!path.startsWith("/admin") && form.test(`/v1${path}`)),
  );

/** Paths that stand for all below them, and examples of what does not exist. */
const BESIDE = /^\/(?:admin\/)?v1\/(nowhere|pet|store|keys\/)$/;
const isOperation = (path: string) =>
  !/^\/(docs|console|livez|readyz|metrics|account|mcp|openapi\.json|admin\/openapi\.json)/.test(path);

const pages = documents.filter((page) => !/^(CHANGELOG|docs\/development)/.test(page));

test.each(pages)("%s writes a method before a path that has it", (page) => {
  const named = codesIn(withoutBlocks(read(page)).replaceAll(/\s+/g, " ")).flatMap((code) => {
    const [, method = "", path = ""] = /^(GET|HEAD|POST|PUT|PATCH|DELETE) (\/[^\s?`]*)/.exec(code) ?? [];
    return method === "" || !isOperation(path)
      ? []
      : [{ code, method: method === "HEAD" ? "get" : method.toLowerCase(), path }];
  });
  const wrong = named.filter(
    ({ method, path }) => !found(path.replace(/…$/, "")).some(({ methods }) => methods.includes(method)),
  );
  expect(wrong.map(({ code }) => code)).toEqual([]);
});

test.each(pages)("%s writes addresses that there are", (page) => {
  const addresses = [
    ...read(page).matchAll(
      /https?:\/\/[\w.:-]*(?:example\.(?:com|org)|petstore\.test)[\w:]*(\/(?:admin\/)?v1\/[\w/{}-]+)/g,
    ),
  ].map(([address, path = ""]) => ({ address, path }));
  const alone = codesIn(withoutBlocks(read(page))).flatMap((code) =>
    /^\/(?:admin\/)?v1\/[\w/{}-]+$/.test(code) ? [{ address: code, path: code }] : [],
  );
  const wrong = [...addresses, ...alone].filter(({ path }) => found(path).length === 0 && !BESIDE.test(path));
  expect(wrong.map(({ address }) => address)).toEqual([]);
});
