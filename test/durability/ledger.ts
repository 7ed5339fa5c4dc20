import type { PetStatus } from "../../src/domain/pets.ts";

/** The errors found in a store, by pet. */
export type Findings = {
  /** Acknowledged or seen before, but missing. */
  lost: string[];
  /** Stored more than once. */
  twice: string[];
  /** Stored with other fields than sent, under another id than acknowledged, a part of a batch alone, or never sent. */
  altered: string[];
};

const STATUSES: PetStatus[] = ["available", "pending", "sold"];
/** Any odd number: multiplying by it reaches every int64. */
const STEP = 0x9e3779b97f4a7c15n;
/** The pets of a batch. */
const BATCH = 8;
const STORED = /^\{"id":(\d+),"name":"Pet (\d+) /;

/**
 * The creations of writers, and the acknowledgements. Pet number n is always the same, so the ledger stores no pets, only
 * the id of each number, from the acknowledgement or the store.
 */
export class Ledger {
  readonly #idOf = new Map<number, string>();
  /** Creations with an idempotency key that got no response, to be retried. */
  readonly #unanswered = new Set<number>();
  /** The first numbers of the batches, whose others follow. */
  readonly #batches = new Set<number>();
  #again: number[] = [];
  #sent = 0;
  #acknowledged = 0;

  get acknowledged(): number {
    return this.#acknowledged;
  }

  /**
   * The next pet to create, or batch of pets, unless one is to be retried: its first number, the request, and its Idempotency-Key,
   * which each batch and every other pet has.
   */
  next(isBatch = false): { number: number; path: string; body: string; idempotencyKey?: string } {
    const number = this.#again.pop() ?? this.#newNumber(isBatch);
    const numbers = this.#numbersOf(number);
    const pets = numbers.map((one) => `{${fieldsOf(one)}}`);
    const isOne = pets.length === 1;
    const request = isOne
      ? { path: "/v1/pets", body: pets.join() }
      : { path: "/v1/pets/batch", body: `{"pets":[${pets}]}` };
    if (isOne && number % 2 === 1) return { number, ...request };
    this.#unanswered.add(number);
    return { number, ...request, idempotencyKey: `pet ${number}` };
  }

  #newNumber(isBatch: boolean): number {
    const number = this.#sent;
    if (isBatch) this.#batches.add(number);
    this.#sent += isBatch ? BATCH : 1;
    return number;
  }

  /** The pets of a creation. */
  #numbersOf(first: number): number[] {
    return Array.from({ length: this.#batches.has(first) ? BATCH : 1 }, (_, i) => first + i);
  }

  /** After a crash: retries the creations with an idempotency key that got no response. */
  askAgain(): void {
    this.#again = [...this.#unanswered];
  }

  /** Records the body of a 201. @throws when it has not the requested pets, or differs from those seen before */
  acknowledge(number: number, body: string): void {
    const numbers = this.#numbersOf(number);
    const pets = numbers.length === 1 ? [body] : body.slice('{"pets":['.length, -"]}".length).split(/(?<=}),(?={)/);
    if (pets.length !== numbers.length) throw new Error(`${numbers.length} pets were acknowledged as ${body}`);
    for (const [i, pet] of pets.entries()) this.#acknowledge(number + i, pet);
    this.#unanswered.delete(number);
  }

  #acknowledge(number: number, body: string): void {
    const id = STORED.exec(body)?.[1];
    if (id === undefined || body !== stored(id, number)) throw new Error(`pet ${number} was acknowledged as ${body}`);
    const seen = this.#idOf.get(number) ?? id;
    if (seen !== id) throw new Error(`pet ${number} was seen as ${seen} before, and acknowledged as ${body}`);
    this.#idOf.set(number, id);
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
    for (const first of this.#batches) {
      const stored = this.#numbersOf(first).filter((number) => seen.has(number));
      if (stored.length % BATCH !== 0) findings.altered.push(`${stored} of the batch from ${first}`);
    }
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
