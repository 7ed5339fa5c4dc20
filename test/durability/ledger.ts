import type { PetStatus } from "../../src/domain/pets/pet.ts";

/** What was found wrong in a store, by pet: nothing, as long as the service keeps its promise. */
export type Findings = {
  /** Acknowledged or seen before, and not there any more. */
  lost: string[];
  /** There more than once. */
  twice: string[];
  /** There, but not as sent, under another id than told, or never sent at all. */
  altered: string[];
};

const STATUSES: PetStatus[] = ["available", "pending", "sold"];
/** Odd, so that multiplying by it reaches every int64; nothing else is special about it. */
const STEP = 0x9e3779b97f4a7c15n;
const STORED = /^\{"id":(\d+),"name":"Pet (\d+) /;

/**
 * What writers asked a service for, and what they were told. The pet with number n is the same every time it is
 * asked for, so the ledger holds no pets: only the id that number n was acknowledged with, or later seen with.
 */
export class Ledger {
  readonly #idOf = new Map<number, string>();
  /** Named pets that were asked for, and not answered: to be asked for again. */
  readonly #unanswered = new Set<number>();
  #again: number[] = [];
  #sent = 0;
  #acknowledged = 0;

  get acknowledged(): number {
    return this.#acknowledged;
  }

  /** The next pet to ask for: its number, the request's body, and its Idempotency-Key; every other one has none. */
  next(): { number: number; body: string; idempotencyKey?: string } {
    const number = this.#again.pop() ?? this.#sent++;
    const body = `{${fieldsOf(number)}}`;
    if (number % 2 === 1) return { number, body };
    this.#unanswered.add(number);
    return { number, body, idempotencyKey: `pet ${number}` };
  }

  /** After a crash: what was named and not answered is asked for again first. */
  askAgain(): void {
    this.#again = [...this.#unanswered];
  }

  /** Notes the body of a 201. @throws when it is not the pet that was asked for, or not the one that was seen before */
  acknowledge(number: number, body: string): void {
    const id = STORED.exec(body)?.[1];
    if (id === undefined || body !== stored(id, number)) throw new Error(`pet ${number} was acknowledged as ${body}`);
    const seen = this.#idOf.get(number) ?? id;
    if (seen !== id) throw new Error(`pet ${number} was seen as ${seen} before, and acknowledged as ${body}`);
    this.#idOf.set(number, id);
    this.#unanswered.delete(number);
    this.#acknowledged += 1;
  }

  /** Holds what a store has, each pet as its JSON text, against what was promised; remembers it for the next time. */
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
    // What was seen once was promised as well, acknowledged or not, and its id is taken for good.
    for (const [number, id] of seen) this.#idOf.set(number, id);
    return findings;
  }
}

/** The fields of pet `number`: text beyond ASCII, an integer from anywhere in int64, each of the statuses. */
function fieldsOf(number: number): string {
  const categoryId = BigInt.asIntN(64, BigInt(number) * STEP);
  return `"name":"Pet ${number} – 🐈","categoryId":${categoryId},"status":"${STATUSES[number % STATUSES.length]}"`;
}

function stored(id: string, number: number): string {
  return `{"id":${id},${fieldsOf(number)}}`;
}
