/**
 * Faults that no operator makes: another order of steps, another statement of SQL. Each is a text that occurs once in the
 * sources, wherever it stands and however its lines are broken, and what replaces it.
 */
import type { Mutant, Sources } from "./mutant.ts";

const FAULTS: [text: string, replacement: string][] = [
  ["PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL", "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL"],
  ["PRAGMA foreign_keys = OFF; BEGIN IMMEDIATE", "PRAGMA foreign_keys = OFF; BEGIN"],
  ["PRAGMA integrity_check(", "PRAGMA quick_check("],
  ["SELECT id, count(*) OVER () AS matching", "SELECT id, 1 AS matching"],
  ["SET name = excluded.name, name_key = excluded.name_key,", "SET name = excluded.name,"],
  ["last_used_at = max(last_used_at, excluded.last_used_at)", "last_used_at = excluded.last_used_at"],
  ["SET count = existing.count + excluded.count", "SET count = excluded.count"],
  ["SET calls = existing.calls + excluded.calls", "SET calls = excluded.calls"],
  ["run(name, categoryId, status, nameKey(name))", "run(name, categoryId, status, name ?? null)"],
  [
    "await objects.putFile(backup.name, path); await describe(backup);",
    "await describe(backup); await objects.putFile(backup.name, path);",
  ],
  ["if (!HOST.test(host)) return false; lastValid = host;", "lastValid = host; if (!HOST.test(host)) return false;"],
  [
    "failures = await this.#run(task, failures); if (isLast) return;",
    "if (isLast) return; failures = await this.#run(task, failures);",
  ],
  [
    "const { code, message, retryAfter } = error;",
    "const { code, retryAfter } = error; const message = String(error.cause ?? error.message);",
  ],
];

/** The mutants of these faults. `made`: those that operators make. @throws when a text does not occur once */
export function mutantsOfWords(sources: Sources, made: Mutant[]): Mutant[] {
  return FAULTS.map(([text, replacement]) => {
    const words = text.split(" ").map((word) => word.replace(/[^\w\s]/g, "\\$&"));
    const pattern = new RegExp(words.join("\\s+"), "g");
    const [found, ...more] = [...sources].flatMap(([file, source]) =>
      [...source.matchAll(pattern)].map(({ 0: old, index }) => ({ file, start: index, end: index + old.length })),
    );
    if (found === undefined || more.length > 0) {
      throw new Error(`test/mutations/words.ts: this text must occur once in the sources: ${text}`);
    }
    const distance = ({ start }: Mutant) => Math.abs(start - found.start);
    const near = made.filter(({ file, reached }) => file === found.file && reached !== undefined);
    const reached = near.sort((a, b) => distance(a) - distance(b))[0]?.reached;
    return { ...found, replacement, operator: "fault in words", ...(reached !== undefined && { reached }) };
  });
}
