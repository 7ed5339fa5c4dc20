import type { TestPetstore } from "../../src/testing/petstore.ts";

type Call = { method?: string; body?: unknown; key?: string; headers?: Record<string, string> };

/** Sends a request to a pet store, with its first key unless `key` is another one. */
export async function call(store: TestPetstore, path: string, { method, body, key = store.key, headers }: Call = {}) {
  const response = await fetch(store.url + path, {
    method: method ?? (body === undefined ? "GET" : "POST"),
    headers: {
      Authorization: `Bearer ${key}`,
      ...(body !== undefined && { "Content-Type": "application/json" }),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text === "" ? undefined : JSON.parse(text) };
}
