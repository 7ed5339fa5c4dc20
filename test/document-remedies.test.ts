/** What docs/errors.md says to do about each error, and which standard or schema a document names beside what. */
import { expect, test } from "bun:test";
import { join } from "node:path";
import { openApiDocument } from "../src/adapters/http/document.ts";
import { additionTo } from "../src/adapters/http/operations/index.ts";
import { errorCatalogue } from "../src/domain/errors.ts";
import { readConfig } from "../src/wiring/config.ts";
import { publicStatuses } from "./support/codes.ts";
import { documents, inOneLine, pageInOneLine, partsOf, read, says, states } from "./support/markdown.ts";

/** Words of the cause and of the fix of each code. */
const ENTRIES: Record<string, [cause: RegExp, fix: RegExp]> = {
  invalid_json: [/empty.*UTF-8|not.*UTF-8/, /JSON library/],
  validation_failed: [/body is JSON, but/, /fields in `details`: each entry says what/],
  invalid_parameter: [
    /out of bounds, empty or repeated/,
    /parameters in `details`: each entry has the bounds.*HTTP library/,
  ],
  missing_api_key: [/`Authorization`/, /^Send `Authorization: Bearer <API_KEY>`/],
  invalid_api_key: [/does not exist/, /copied the whole key.*right base address/],
  expired_api_key: [/expiry|passed/, /new secret, or ask the operator for a new key/],
  revoked_api_key: [/revoked/, /Ask the operator for a new key/],
  disabled_api_key: [/disabled/, /Ask the operator to enable it\. The same key then works again, with the counts/],
  insufficient_scope: [/lacks the scope/, /Use a key with the scope that the message names/],
  pet_not_found: [/id of a pet/, /Check the id\. A list with `ids` does not fail/],
  category_not_found: [/id of a category|category/, /Check the id, or add the category under it with putCategory/],
  order_not_found: [
    /id of an order/,
    /Check the id, and that the base address is that of the deployment where the order was placed/,
  ],
  not_found: [/path does not exist/, /path with the operations\. A base address ends in `\/v1`/],
  method_not_allowed: [/path exists, but not with this method/, /method from the header `Allow`/],
  idempotency_in_progress: [/still being processed/, /Retry after `Retry-After`/],
  invalid_transition: [
    /cannot change from its current status/,
    /status that may follow.*the message names them.*may have set it/,
  ],
  pet_reserved: [/order holds the pet/, /Deliver or cancel the order that the message names/],
  pet_not_available: [/pending or sold/, /Order another pet: `GET \/pets\?status=available` lists them/],
  category_exists: [
    /has this name/,
    /another name, or use the category that has it: `GET \/categories\?name=…` finds it/,
  ],
  category_in_use: [
    /At least one pet has/,
    /Give its pets another `categoryId`: `GET \/pets\?categoryId=…` lists them/,
  ],
  operation_removed: [/was removed/, /Call the address that the message names/],
  position_expired: [/position in `after`/, /Copy the lists again, and follow the events from there/],
  precondition_failed: [
    /none of the ETags in `If-Match`/,
    /Read the resource again, decide again, and send the change with the new ETag/,
  ],
  payload_too_large: [/larger than/, /Send a smaller body/],
  unsupported_media_type: [
    /`Content-Encoding`|media type|declared/,
    /uncompressed UTF-8 with a `Content-Type` that the message names/,
  ],
  idempotency_key_reused: [/another operation/, /a new key for each new pet, category or order/],
  rate_limit_exceeded: [/per minute is used up/, /Wait for `Retry-After`, and back off exponentially/],
  quota_exceeded: [/per day is used up/, /Wait for `Retry-After`, or ask the operator for a larger plan/],
  key_banned: [
    /kept sending/,
    /Stop until `Retry-After` has passed, and correct the client; otherwise the next ban is longer/,
  ],
  request_header_too_large: [/headers together are larger/, /fewer or shorter headers and parameters/],
  internal_error: [/bug in the service/, /`X-Request-Id`/],
  service_unavailable: [
    /cannot process the request now/,
    /Retry after `Retry-After`.*a creation with the same `Idempotency-Key`/,
  ],
};

test("docs/errors.md has with each code its own cause and fix", () => {
  const entries = new Map(
    inOneLine(read("docs/errors.md").replaceAll(/^```[\s\S]*?^```$/gm, ""))
      .split("### `")
      .slice(1)
      .map((entry): [string, [string, string]] => {
        const [, code = "", cause = "", fix = ""] =
          /^(\w+)` Cause: (.*?) Fix: (.*?)(?: ## .*)?$/.exec(entry.trim()) ?? [];
        return [code, [cause, fix]];
      }),
  );
  expect([...entries.keys()].toSorted()).toEqual(Object.keys(publicStatuses).toSorted());
  for (const [code, [cause, fix]] of entries) {
    const [ofCause = /^never$/, ofFix = /^never$/] = ENTRIES[code] ?? [];
    expect([code, cause, fix]).toEqual([code, expect.stringMatching(ofCause), expect.stringMatching(ofFix)]);
  }
  // What is due to time goes away by itself: the errors that name Retry-After, and a bug that does not always show.
  const due = Object.entries(errorCatalogue).flatMap(([code, { kind }]) =>
    /^(limited|unavailable)$/.test(kind) ? [code] : [],
  );
  for (const code of [...due, "idempotency_in_progress"]) expect(entries.get(code)?.[1]).toMatch(/`Retry-After`/);
  states(
    "docs/errors.md",
    "A 500 may go away: retry it a few times. Any other error stays the same until you change the request or the key",
  );
});

/** What a standard is about. */
const STANDARDS: Record<string, RegExp> = {
  "3339": /\b(Times?|When|time)\b/,
  "4180": /CSV/,
  "7240": /Prefer/,
  "7396": /merge patch/,
  "8594": /Sunset/,
  "9727": /api-catalog/,
  "9745": /Deprecation/,
};

test.each(documents.filter((page) => !/CHANGELOG|development/.test(page)))(
  "%s names a standard beside what it is about",
  (page) => {
    for (const part of partsOf(read(page))) {
      for (const [, number = ""] of part.matchAll(/\bRFC (\d+)/g))
        expect([part, STANDARDS[number]?.test(part)]).toEqual([part, true]);
      for (const [, number, target] of part.matchAll(/\[RFC (\d+)\]\(https:\/\/www\.rfc-editor\.org\/rfc\/rfc(\d+)\)/g))
        expect(target).toBe(String(number));
    }
  },
);

test("docs/interface.md names each schema beside the page that describes it, and says what lists are", () => {
  const document = openApiDocument(readConfig({}).baseUrls);
  const schemas: Record<string, object> = { ...document.components?.schemas };
  const [described = ""] = /^\*\*Category\*\*, \*\*NewCategory\*\*[\s\S]*?\n\n/m.exec(read("docs/interface.md")) ?? [];
  const parts = described.split(";");
  expect(parts.length).toBeGreaterThan(4);
  for (const part of parts) {
    const [, target = ""] = /\]\(([\w-]+\.md)/.exec(part) ?? [];
    const names = part.match(/\b[A-Z]\w+/g) ?? [];
    expect([part, names.length > 0]).toEqual([part, true]);
    for (const name of names)
      expect([name, target, name in schemas, new RegExp(`\\b${name}\\b`).test(read(join("docs", target)))]).toEqual([
        name,
        target,
        true,
        true,
      ]);
  }
  const lists = documents.flatMap((page) => [
    ...pageInOneLine(page).matchAll(/\b([A-Z]\w+)(?: is)? an array of ([A-Z]\w+)/g),
  ]);
  expect(lists.length).toBeGreaterThan(2);
  for (const [text, list = "", item = ""] of lists)
    expect([text, JSON.stringify(schemas[list])]).toEqual([text, expect.stringContaining(`/${item}"`)]);
});

test("docs/deprecation.md says since when there is a replacement, and what generated clients have", () => {
  states(
    "docs/deprecation.md",
    `This works ${additionTo({ id: "listPets" }) === undefined ? "since the first version" : "since a later version"}, so you can replace getPet today.`,
  );
  const { paths = {} } = openApiDocument(readConfig({}).baseUrls);
  const marked = Object.values(paths).flatMap((methods) =>
    Object.values(Object(methods)).filter((one) => Object(one).deprecated),
  );
  says(
    pageInOneLine("docs/deprecation.md"),
    `and for \`${Object(marked[0]).operationId}\` in generated clients, which mark it as deprecated.`,
  );
  expect(marked).toHaveLength(1);
});
