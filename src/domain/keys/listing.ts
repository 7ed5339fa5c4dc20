import type { Plan } from "../limits/plans.ts";
import type { Key } from "./key.ts";
import type { State } from "./state.ts";
import type { KeyWithSecrets } from "./store.ts";

/** The position of a key in the list of all keys, newest first. */
export type Position = { createdAt: number; id: string };

/** Selects keys by plan, by state, and by a text in their id, name or last four characters. */
export type KeyFilter = { search?: string | undefined; plan?: Plan[] | undefined; state?: State[] | undefined };

/** Whether the filter selects a key in this state. */
export function matches({ key, secrets }: KeyWithSecrets, state: State, filter: KeyFilter): boolean {
  const { search = "", plan, state: states } = filter;
  if (plan !== undefined && !plan.includes(key.plan)) return false;
  if (states !== undefined && !states.includes(state)) return false;
  const text = search.trim().toLowerCase();
  const texts = [key.id, key.name, ...secrets.map(({ lastFour }) => lastFour)];
  return text === "" || texts.some((one) => one.toLowerCase().includes(text));
}

/** Compares keys for sorting, the newest first. */
export function newestFirst(a: Position, b: Position): number {
  if (a.createdAt !== b.createdAt) return b.createdAt - a.createdAt;
  if (a.id === b.id) return 0;
  return a.id < b.id ? 1 : -1;
}

export const CURSOR = /^(\d{1,16})\.(key_[0-9A-Za-z]{1,64})$/;

/** Encodes a key's position. The cursor stays valid when the key is no longer listed. */
export function cursorOf({ createdAt, id }: Pick<Key, "createdAt" | "id">): string {
  return `${createdAt}.${id}`;
}

/** Decodes a cursor. Returns undefined when it is malformed. */
export function positionOf(cursor: string): Position | undefined {
  const [, createdAt, id] = CURSOR.exec(cursor) ?? [];
  return createdAt === undefined || id === undefined ? undefined : { createdAt: Number(createdAt), id };
}
