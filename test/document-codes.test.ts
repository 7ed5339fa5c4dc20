/** Each error code in a document stands in a sentence about what it means. */
import { expect, test } from "bun:test";
import type { ErrorCode } from "../src/domain/errors.ts";
import { pages, partsOf, read, withoutBlocks } from "./support/markdown.ts";

/** Words of which a sentence with a code has some. */
const SUBJECTS: Record<ErrorCode, RegExp> = {
  invalid_json: /JSON|body (that|does not)/,
  validation_failed: /body|field|file|never fit|without a category|rejected/i,
  invalid_parameter: /parameter|header|HTTP|Production refuses|request line|valid|body/i,
  missing_api_key: /key/i,
  invalid_api_key: /delet|mistyped|in place of/i,
  expired_api_key: /grace|expir|secret|Afterwards/i,
  revoked_api_key: /revok|delet/i,
  disabled_api_key: /disabl/i,
  insufficient_scope: /scope|tool/i,
  pet_not_found: /pet|existence|Invalid id/i,
  category_not_found: /categor(y|ies)|existence/i,
  order_not_found: /order/i,
  not_found: /route|path|id/i,
  method_not_allowed: /method/i,
  idempotency_in_progress: /Idempotency-Key|under way|Retry/i,
  invalid_transition: /status|other change|current state/i,
  pet_reserved: /order.* holds?|current state|state of the pet/i,
  pet_not_available: /for example|current state|Somebody else got|order another|pending or sold|you order/i,
  category_exists: /name|current state/i,
  category_in_use: /has the category|has this category|current state|pets?/i,
  operation_removed: /remov|answers 410/i,
  position_expired: /position|restore|kept/i,
  precondition_failed: /If-Match|ETag|chang/i,
  payload_too_large: /large|size/i,
  unsupported_media_type: /type/i,
  idempotency_key_reused: /same|another/i,
  rate_limit_exceeded: /minute|limit|too many|secrets|address|next \d|window/i,
  quota_exceeded: /day|After|such as/i,
  key_banned: /ban|After|Retry-After/i,
  request_header_too_large: /header|request line/i,
  internal_error: /bug|500/i,
  missing_credentials: /token/i,
  invalid_credentials: /token|revoked/i,
  insufficient_role: /admin/i,
  host_not_allowed: /host/i,
  cross_site_request: /site/i,
  key_not_found: /key/i,
  request_not_found: /request/i,
  operator_not_found: /operator/i,
  alert_not_found: /alert/i,
  webhook_not_found: /webhook/i,
  event_not_found: /event/i,
  backup_not_found: /backup/i,
  invalid_state: /Production refuses|production cannot/,
  service_unavailable: /database|look up|cannot|next 2|no answer/i,
};

/**
 * The sentences of a page, each with the one before it, and the rows of its tables; without blocks of code, headings and the tables
 * of statuses, which test/document-operations.test.ts compares.
 */
function sentencesOf(path: string): string[] {
  const text = withoutBlocks(read(path))
    .replaceAll(/^#+ .*/gm, "")
    .replaceAll(/^\| \d{3}(?:, \d{3})* \| \[?Error.*/gm, "");
  return partsOf(text).flatMap((part) => {
    if (part.startsWith("|")) return part.split("\n");
    const sentences = part.replaceAll(/\s+/g, " ").split(/(?<=[.:]) (?=[A-Z*`])/);
    return sentences.map((sentence, at) => `${sentences[at - 1] ?? ""} ${sentence}`);
  });
}

/** Pages about the programs of others, which have tests of their own. */
const OTHERS = /generated-clients|retry-libraries/;

test.each(pages.filter((path) => !OTHERS.test(path)))("%s has each code beside what it means", (path) => {
  const strange = sentencesOf(path).flatMap((sentence) => {
    const others = sentence.replaceAll(/`[a-z_]+`/g, "");
    return Object.entries(SUBJECTS)
      .filter(([code, subject]) => sentence.includes(`\`${code}\``) && !subject.test(others))
      .map(([code]) => `${code}: ${sentence}`);
  });
  expect(strange).toEqual([]);
});
