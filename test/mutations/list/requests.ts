import type { Mistakes } from "../mutant.ts";

const DOMAIN = "test/domain/requests";
const SEARCH = `${DOMAIN}/search.test.ts`;
const BATCHES = `${DOMAIN}/batch-writer.test.ts`;
const FILES = "test/adapters/sqlite/request-files.test.ts";
const BUFFER = "test/adapters/memory/request-buffer.test.ts";
const HTTP = "test/adapters/http/admin/requests.test.ts";
const HISTORY = "test/adapters/http/request-history.long.test.ts";

export const requests: Mistakes = {
  "src/domain/requests/path.ts": {
    tests: [`${DOMAIN}/path.test.ts`],
    mistakes: [
      ['.replace(SECRET_LIKE, "[key]")', ""],
      ["encoded === -1 ? path", "encoded !== -2 ? path"],
      ["const SHORTER_THAN_SECRETS = 40;", "const SHORTER_THAN_SECRETS = 60;"],
      ["kept.length > MAX_LENGTH", "false"],
    ],
  },
  "src/domain/requests/batch-writer.ts": {
    tests: [SEARCH],
    mistakes: [
      ["code < DEL ? code : UNKNOWN", "code"],
      ["7 * MAX_TEXT", "MAX_TEXT", BATCHES],
      ["const bytes = this.#bytes.subarray(0, this.#offset + names.length);", "const bytes = this.#bytes;", BATCHES],
    ],
  },
  "src/domain/requests/batches.ts": {
    tests: [SEARCH],
    mistakes: [["!== view.getUint32(batchFields.crc, true)) return undefined;", "=== -1) return undefined;"]],
  },
  "src/domain/requests/matching.ts": {
    tests: [SEARCH],
    mistakes: [
      ["index >= skipped && ", ""],
      ["at >= from && at < to", "at > from && at < to"],
      ["at >= from && at < to", "at >= from && at <= to"],
      ["before <= skipped || ", "before <= skipped + 1 || "],
      ["batch.oldest >= to", "batch.oldest < to"],
      ["if (text.length !== length) return false;", ""],
    ],
  },
  "src/domain/requests/retention.ts": {
    tests: [SEARCH, FILES],
    mistakes: [
      ["left -= segment.count;", "left -= 1;"],
      ["Math.max(0, segment.count - left)", "0"],
      ["segment.newest < since", "segment.oldest < since"],
      ["const HOUR = 3_600_000;", "const HOUR = 3_700_000;"],
      ["left <= 0 || ", "", "test/domain/requests/retention.test.ts"],
    ],
  },
  "src/domain/requests/search.ts": {
    tests: [SEARCH],
    mistakes: [
      ["segment.newest < oldestFound.at) break;", "segment.newest <= oldestFound.at + 1) break;"],
      ["if (segment.oldest > last) continue;", "if (segment.oldest >= last) continue;"],
      ["compare(start, place) < 0", "compare(start, place) <= 0"],
      ["return b.offset - a.offset;", "return a.offset - b.offset;", HTTP],
    ],
  },
  "src/wiring/paced-segments.ts": {
    tests: ["test/wiring/paced-segments.test.ts"],
    mistakes: [["await pause(PAUSE);", ""]],
  },
  "src/adapters/memory/request-buffer.ts": {
    tests: [FILES],
    mistakes: [
      ["if (this.#pending.length < MAX_PENDING) {", "if (true) {"],
      ["this.#dropped += batch.count", "this.#dropped += 1"],
      ["current.length + bytes.length <= this.#segments.segmentSize", "true"],
      ["this.#pending.shift();", "this.#pending.shift(); this.#pending.shift();"],
      [
        "const segment = this.#segmentFor(batch);",
        "this.#release(batch);const segment = this.#segmentFor(batch);",
        BUFFER,
      ],
      ["this.#pending.shift();\n      this.#release(batch);", "this.#pending.shift();", BUFFER],
      ["this.#free.pop() ?? new ArrayBuffer", "new ArrayBuffer", BUFFER],
      ["this.#free.pop() ?? new ArrayBuffer", "batch.bytes.buffer ?? new ArrayBuffer", BUFFER],
      ["this.#free.length < MAX_FREE", "true", BUFFER],
      ["if (this.#pending.length === FULL) this.write().catch(() => {});", "", BUFFER],
      ["newest - current.began < SEGMENT_DURATION", "true", BUFFER],
      ["current.length + bytes.length <= this.#segments.segmentSize", "false", BUFFER],
    ],
  },
  "src/adapters/sqlite/request-files.ts": {
    tests: [FILES],
    mistakes: [
      ["size < length ? 0 : length", "length"],
      ["if (known?.size === size) return known;", "if (known !== undefined) return known;"],
      [".filter((name) => SEGMENT_ID.test(name))", ""],
    ],
  },
  "src/adapters/postgres/request-segments.ts": {
    tests: ["test/adapters/postgres/request-segments.test.ts"],
    mistakes: [
      ["WHERE octet_length(segment.bytes) = $2::int", "WHERE $2::int >= 0"],
      ["least(segment.oldest, EXCLUDED.oldest)", "EXCLUDED.oldest"],
    ],
  },
  "src/domain/requests/history.ts": {
    tests: [HTTP],
    mistakes: [["await write().catch(() => {});", ""]],
  },
  "src/adapters/http/errors.ts": {
    tests: [HTTP],
    mistakes: [["context.error = code;", ""]],
  },
  "src/wiring/background-tasks.ts": {
    tests: [HISTORY],
    mistakes: [
      ["run: () => requestBuffer.write()", "run: () => {}"],
      [
        "stores.requests.delete(expiredSegments(await stores.requests.list(), retention, clock()))",
        "stores.requests.list()",
        "test/wiring/clean-up.test.ts",
      ],
    ],
  },
};
