import type { Mistakes } from "../mutant.ts";

const TESTING = "test/testing";

export const testing: Mistakes = {
  "src/testing/clock.ts": {
    tests: [`${TESTING}/clock.test.ts`],
    mistakes: [
      ["this.#isFrozen ? this.#shown : ", ""],
      ["this.#since = source;", ""],
      ["this.#since = source;", "this.#since = this.#source();"],
      ["this.#timeWhen(source) + Math", "this.read() + Math"],
      ["this.#start ?? source, source", "this.#start ?? this.#source(), source"],
      ["this.#isFrozen = false;\n", "\n"],
      ["count >= 0 && ", ""],
      ["Math.round(distance)", "distance"],
      ["instant === null ? Number.NaN : ", ""],
      ["Date.UTC(9999, 0) - 1", "8.64e15"],
      ['typeof by !== "object" || by === null', "false"],
    ],
  },
  "src/testing/persistent-listener.ts": {
    tests: [`${TESTING}/failures.test.ts`],
    mistakes: [
      ['method !== "OPTIONS" && ', ""],
      [" && !headers.has(SIMULATE)", ""],
      ["entry.status = made.status;", "", `${TESTING}/requests.test.ts`],
      ['made.headers.set("Date", new Date(clock()).toUTCString());', "", `${TESTING}/clock.test.ts`],
    ],
  },
  "src/testing/received-requests.ts": {
    tests: [`${TESTING}/requests.test.ts`],
    mistakes: [
      [' && !(name === "authorization" && keyId !== undefined)', ""],
      [" && keyId !== undefined)", ")"],
      ["{ stream: true }", "{}"],
      ["return [...this.#entries];", "return this.#entries;"],
      ["if (this.#entries.length > MOST)", "if (false)"],
      ["/^Bearer +/i", "/^Bearer +/"],
    ],
  },
  "src/testing/planned-failures.ts": {
    tests: [`${TESTING}/failures.test.ts`],
    mistakes: [
      ["first.times -= 1;", "first.times = 0;"],
      ["!Number.isSafeInteger(times) || ", ""],
      ["if (first.times === 0) this.#planned.shift();", "this.#planned.shift();"],
    ],
  },
  "src/testing/log.ts": {
    mistakes: [['.replace(SECRET_LIKE, "[key]")', ""]],
  },
  "src/testing/seeded-service.ts": {
    tests: [`${TESTING}/start.test.ts`],
    mistakes: [["z.int64()", "z.bigint()"]],
  },
  "src/testing/keys.ts": {
    tests: [`${TESTING}/start.test.ts`],
    mistakes: [
      // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the text of the source.
      ["seed${this.#seed}key", "seedkey"],
      [
        "createdAt: now,\n      ...(expiresAt !== undefined && { expiresAt }),",
        "createdAt: now,",
        `${TESTING}/clock.test.ts`,
      ],
    ],
  },
  "src/testing/start.ts": {
    tests: [`${TESTING}/reset.test.ts`],
    mistakes: [
      ["clock.reset();", ""],
      ["fail.clear();", ""],
      ["received.clear();", ""],
      ["    await before.stop();\n", ""],
      ["resets.catch(() => {})])", "])"],
    ],
  },
};
