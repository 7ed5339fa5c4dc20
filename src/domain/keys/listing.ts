import type { Plan } from "../limits/plans.ts";
import type { Key } from "./key.ts";
import type { Owner } from "./owner.ts";
import type { State } from "./state.ts";

/** The position of a key in the list of all keys by age. */
export type Position = Pick<Key, "createdAt" | "id">;

/**
 * Selects keys by plan, by state, by owner, and by a text in their id, name, owner or last four characters, in any case. An
 * owner with an e-mail address stands for that address, otherwise for everyone of the name.
 */
export type KeyFilter = {
  search?: string | undefined;
  owner?: Owner | undefined;
  plan?: readonly Plan[] | undefined;
  state?: readonly State[] | undefined;
  /** Only keys with a simulation. */
  isRehearsing?: boolean | undefined;
};

/** At most `limit` of the keys that the filter selects, by age, or by owner and age, from `after` on. */
export type KeysPage = KeyFilter & {
  order: "newest" | "oldest" | "owner";
  limit: number;
  after?: Position | undefined;
};

/** How many keys a filter selects. `isExact`: otherwise there are more, which were not counted. */
export type KeyCount = { total: number; isExact: boolean };

export const CURSOR = /^(\d{1,16})\.(key_[0-9A-Za-z]{1,64})$/;

/** Encodes a key's position. The cursor stays valid when the key is no longer listed. */
export function cursorOf({ createdAt, id }: Position): string {
  return `${createdAt}.${id}`;
}

/** Decodes a cursor. Returns undefined when it is malformed. */
export function positionOf(cursor: string): Position | undefined {
  const [, createdAt, id] = CURSOR.exec(cursor) ?? [];
  return createdAt === undefined || id === undefined ? undefined : { createdAt: Number(createdAt), id };
}
