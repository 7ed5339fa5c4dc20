import type { PetStatus } from "../../src/domain/pets.ts";

/** The errors found in a store, by pet. */
export type Findings = {
  /** Acknowledged or seen before, but missing. */
  lost: string[];
  /** Stored more than once. */
  twice: string[];
  /** Stored with other fields than sent, under another id than acknowledged, or never sent. */
  altered: string[];
};

const STATUSES: PetStatus[] = ["available", "pending", "sold"];
/** Any odd number: multiplying by it reaches every int64. */
const STEP = 0x9e3779b97f4a7c15n;
const STORED = /^\{"id":(\d+),"name":"Pet (\d+) /;

/**
 * The creations of writers, and the acknowledgements. Pet number n is always the same, so the ledger stores no pets, only
 * the id of each number, from the acknowledgement or the store.
 */
export class Ledger {
  readonly #idOf = new Map<number, string>();
  /** Creations with an idempotency key that got no response, to be retried. */
  readonly #unanswered = new Set<number>();
  #again: number[] = [];
  #sent = 0;
  #acknowledged = 0;

  get acknowledged(): number {
    return this.#acknowledged;
  }

  /** The next pet to create: its number, the request's body, and its Idempotency-Key, which every other one has. */
  next(): { number: number; body: string; idempotencyKey?: string } {
    const number = this.#again.pop() ?? this.#sent++;
    const body = `{${fieldsOf(number)}}`;
    if (number % 2 === 1) return { number, body };
    this.#unanswered.add(number);
    return { number, body, idempotencyKey: `pet ${number}` };
  }

  /** After a crash: retries the creations with an idempotency key that got no response. */
  askAgain(): void {
    this.#again = [...this.#unanswered];
  }

  /** Records the body of a 201. @throws when it is not the requested pet, or differs from the one seen before */
  acknowledge(number: number, body: string): void {
    const id = STORED.exec(body)?.[1];
    if (id === undefined || body !== stored(id, number)) throw new Error(`pet ${number} was acknowledged as ${body}`);
    const seen = this.#idOf.get(number) ?? id;
    if (seen !== id) throw new Error(`pet ${number} was seen as ${seen} before, and acknowledged as ${body}`);
    this.#idOf.set(number, id);
    this.#unanswered.delete(number);
    this.#acknowledged += 1;
  }

  /** Compares the pets in a store, as JSON texts, with the acknowledged ones, and remembers them. */
  check(found: string[]): Findings {
    const findings: Findings = { lost: [], twice: [], altered: [] };
    const seen = new Map<number, string>();
    for (const text of found) {
      const [, id = "", digits = ""] = STORED.exec(text) ?? [];
      const number = Number(digits);
      const promised = this.#idOf.get(number);
      if (seen.has(number)) findings.twice.push(text);
      else if (number >= this.#sent || text !== stored(id, number) || (promised ?? id) !== id)
        findings.altered.push(text);
      seen.set(number, id);
    }
    for (const [number, id] of this.#idOf) if (!seen.has(number)) findings.lost.push(stored(id, number));
    // A pet that was seen once must stay, acknowledged or not, and keeps its id.
    for (const [number, id] of seen) this.#idOf.set(number, id);
    return findings;
  }
}

/** The fields of pet `number`: non-ASCII text, any int64, and each status in turn. */
function fieldsOf(number: number): string {
  const categoryId = BigInt.asIntN(64, BigInt(number) * STEP);
  return `"name":"Pet ${number} – 🐈","categoryId":${categoryId},"status":"${STATUSES[number % STATUSES.length]}"`;
}

function stored(id: string, number: number): string {
  return `{"id":${id},${fieldsOf(number)}}`;
}
