import type { Mistakes } from "../mutant.ts";

const CALLS = "client/test/calls";
const LOST = [`${CALLS}/lost-changes.test.ts`, `${CALLS}/update-pet.test.ts`, `${CALLS}/orders.test.ts`];

export const client: Mistakes = {
  "client/src/calls.ts": {
    tests: [`${CALLS}/retries.test.ts`, `${CALLS}/limits.test.ts`],
    mistakes: [
      ["retry > maxRetries ||", "retry >= maxRetries ||"],
      ["if (!call.isFree) this.#tracker.recordLost", "this.#tracker.recordLost", `${CALLS}/boundaries.test.ts`],
      ["Math.min(timeout, Math.max(0, deadline - sent))", "timeout", `${CALLS}/call-options.test.ts`],
      ["if (clock.now() + delay > deadline) throw error;", ""],
      [
        "`, idempotencyKey, deadline, isUncertain });",
        "`, idempotencyKey: randomId(), deadline, isUncertain });",
        `${CALLS}/creations.test.ts`,
        `${CALLS}/retries.test.ts`,
      ],
      ["this.#throttle.release();", ""],
      ["this.#tracker.recordLost(clock.now());", "", `${CALLS}/boundaries.test.ts`],
      ["status !== 401 && !isOfAddress(headers)", "!isOfAddress(headers)", `${CALLS}/boundaries.test.ts`],
      ["(error.retryAfter ?? 0) * 1000 +", ""],
      ["this.#deprecations.check(call.operation, headers);", "", `${CALLS}/pets.test.ts`, `${CALLS}/errors.test.ts`],
      ["this.#tracker.isDayUsedUp ?", "!this.#tracker.isDayUsedUp ?"],
      ["const done = isUncertain && (", "const done = (", ...LOST],
      ["const done = isUncertain && (", "const done = false && (", ...LOST],
      ["(isStale || error instanceof ConflictError)", "isStale", ...LOST],
      ["const renew = isStale ? call.renew : undefined;", "const renew = call.renew;", ...LOST],
      ["isUncertain = !renew && (isUncertain ||", "isUncertain = (isUncertain ||", ...LOST],
      ["error.status !== 429);", "true);", ...LOST],
      ["if (read === undefined || fields.length === 0)", "if (read === undefined)", ...LOST],
      ["fields.every(", "fields.some(", ...LOST],
      ["isUncertain && call.method ===", "call.method ===", ...LOST],
      ['if (isRemoved && error.code !== "not_found")', "if (isRemoved)", ...LOST],
    ],
  },
  "client/src/limit-tracker.ts": {
    tests: [`${CALLS}/boundaries.test.ts`, `${CALLS}/throttle.test.ts`, `${CALLS}/limits.test.ts`],
    mistakes: [
      ["if (sent >= this.#lostAt) this.#lost = 0;", "this.#lost = 0;"],
      ["sent + (seconds - 1) * 1000", "sent + seconds * 1000"],
      ["latest: now + seconds * 1000 };", "latest: sent + seconds * 1000 };"],
      ["if (remaining > taken) return now;", "if (remaining >= taken) return now;"],
      ["Math.min(known.remaining, reported.remaining)", "reported.remaining"],
      ["known.limit === reported.limit ?", "true ?"],
      ["return Math.max(...times);", "return Math.min(...times);"],
    ],
  },
  "client/src/limits.ts": {
    tests: [`${CALLS}/boundaries.test.ts`, `${CALLS}/odd-answers.test.ts`],
    mistakes: [
      ["Math.max(0, Math.ceil(reset - served / 1000))", "Math.max(0, Math.floor(reset - served / 1000))"],
      ["if (Number.isNaN(limit + remaining + reset)) return [];", ""],
    ],
  },
  "client/src/retry.ts": {
    tests: [`${CALLS}/retries.test.ts`],
    mistakes: [
      ["FIRST_DELAY * 2 ** (retry - 1)", "FIRST_DELAY * 2 ** retry"],
      ["Math.min(LONGEST_DELAY, FIRST", "Math.max(LONGEST_DELAY, FIRST"],
      ['|| code === "idempotency_in_progress"', ""],
      ["status === 408 ||", ""],
      ["status >= 500 ||", "status > 500 ||"],
    ],
  },
  "client/src/throttle.ts": {
    mistakes: [
      ["this.#inFlight -= 1;", "", `${CALLS}/throttle.test.ts`],
      ["nextSendAt <= deadline", "nextSendAt < deadline", `${CALLS}/boundaries.test.ts`],
      ["this.#queue = this.#queue.filter((other) => other !== call);", "", `${CALLS}/boundaries.test.ts`],
    ],
  },
  "client/src/int64.ts": {
    tests: [`${CALLS}/int64.test.ts`, `${CALLS}/boundaries.test.ts`],
    mistakes: [
      ["const LONG = /\\d{16}/;", "const LONG = /\\d{17}/;"],
      ["Number.isSafeInteger(number) ? number : BigInt(text)", "number"],
      ["throw new RangeError(`", "return String(value);\n  throw new RangeError(`"],
    ],
  },
  "client/src/send.ts": {
    tests: [`${CALLS}/retries.test.ts`, `${CALLS}/odd-answers.test.ts`],
    mistakes: [
      ['redirect: "manual"', 'redirect: "follow"'],
      ["signal?.throwIfAborted();\n    const properties", "const properties", `${CALLS}/boundaries.test.ts`],
    ],
  },
  "client/src/client.ts": {
    tests: [`${CALLS}/boundaries.test.ts`, `${CALLS}/pets.test.ts`, `${CALLS}/creations.test.ts`],
    mistakes: [
      ["start += MOST", "start += MOST + 1"],
      ["[...new Set(Array.from(ids, (id) => BigInt(digitsOf(id))))]", "Array.from(ids, (id) => BigInt(digitsOf(id)))"],
      ["if (!ifMatch)", "if (false)", `${CALLS}/update-pet.test.ts`],
    ],
  },
  "client/src/list-query.ts": {
    tests: [`${CALLS}/boundaries.test.ts`, `${CALLS}/pets.test.ts`],
    mistakes: [
      ["limit: query.limit ?? MOST", "limit: query.limit ?? 20"],
      ['"ids", "categoryId", "name",', '"ids", "categoryId",'],
      ['"ids", "categoryId", "name",', '"ids", "name",'],
      ["if (query.after === undefined)", "if (false)"],
    ],
  },
  "client/src/call-options.ts": {
    tests: [`${CALLS}/pets.test.ts`, `${CALLS}/update-pet.test.ts`],
    mistakes: [
      ["!IDEMPOTENCY_KEY.test(idempotencyKey)", "false"],
      ["if (!ifMatch) throw", "if (false) throw"],
    ],
  },
  "client/src/request.ts": {
    tests: [`${CALLS}/update-pet.test.ts`, `${CALLS}/methods.test.ts`],
    mistakes: [['method !== "GET" && options.ifMatch', "false && options.ifMatch"]],
  },
  "client/src/deprecation.ts": {
    tests: [`${CALLS}/pets.test.ts`, `${CALLS}/errors.test.ts`],
    mistakes: [["this.#reported.add(operation);", ""]],
  },
  "client/src/clock.ts": {
    tests: [`${CALLS}/boundaries.test.ts`],
    mistakes: [["if (signal?.aborted) return reject(signal.reason);", ""]],
  },
};
