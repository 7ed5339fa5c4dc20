import { keyHash } from "./key-hash.ts";
import { stringOf } from "./string-literal.ts";

/** The least characters of a key with its value: `"":1,`. */
const LEAST_LENGTH = 5;
/** Odd factors, which spread a number over all 32 bits (Fibonacci hashing). */
const SPREAD_OBJECT = 0x9e3779b1;
const SPREAD_HASH = 0x85ebca6b;

/** Shared, because to allocate it takes longer than to parse a pet: only one text at a time is parsed. */
let slots = new Uint32Array();

/**
 * The keys of all objects of a text, to find one that an object has twice. They stay in the text: to take each out as a
 * string and add it to a Set takes ten times as long. Another table must not be made before the last use of this one.
 */
export class KeyTable {
  readonly #text: string;
  readonly #mask: number;
  /** Of each key its hash, where its object starts, and where its literal starts and ends. */
  readonly #entries: number[] = [];

  constructor(text: string) {
    this.#text = text;
    // Twice as many as there may be keys, so that few share a slot.
    const size = 2 ** Math.ceil(Math.log2((2 * text.length) / LEAST_LENGTH + 1));
    this.#mask = size - 1;
    if (slots.length < size) slots = new Uint32Array(size);
    else slots.fill(0, 0, size);
  }

  /**
   * Adds the key whose literal is from `start` to `end` to the object that starts at `object`. Returns the key's hash, or
   * undefined if the object has the key already.
   */
  add(object: number, start: number, end: number): number | undefined {
    const entries = this.#entries;
    const hash = keyHash(this.#text, start, end);
    const spread = Math.imul(hash ^ Math.imul(object, SPREAD_OBJECT), SPREAD_HASH);
    let slot = (spread ^ (spread >>> 16)) & this.#mask;
    // A slot has the index after its entry; 0 is free.
    for (let after = slots[slot] ?? 0; after > 0; after = slots[slot] ?? 0) {
      if (entries[after - 4] === hash && entries[after - 3] === object && this.#isKey(after, start, end))
        return undefined;
      slot = (slot + 1) & this.#mask;
    }
    slots[slot] = entries.push(hash, object, start, end);
    return hash;
  }

  /** Whether the entry that ends before `after` has the same key. */
  #isKey(after: number, start: number, end: number): boolean {
    const [from = 0, to = 0] = this.#entries.slice(after - 2, after);
    return stringOf(this.#text, from, to) === stringOf(this.#text, start, end);
  }
}
