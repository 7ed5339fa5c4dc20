import type { Plan } from "../limits/plans.ts";
import type { Key } from "./key.ts";
import type { State } from "./state.ts";
import type { KeyWithSecrets } from "./store.ts";

/** The position of a key in the list of all keys, newest first. */
export type Position = { createdAt: number; id: string };

/** Selects the keys whose id, name or last four characters contain `search`, with one of these plans, in one of these states. */
export type KeyFilter = { search?: string | undefined; plan?: Plan[] | undefined; state?: State[] | undefined };

/** Whether the filter selects a key that is in this state. */
export function matches({ key, secrets }: KeyWithSecrets, state: State, filter: KeyFilter): boolean {
  const { search = "", plan, state: states } = filter;
  if (plan !== undefined && !plan.includes(key.plan)) return false;
  if (states !== undefined && !states.includes(state)) return false;
  const text = search.trim().toLowerCase();
  const texts = [key.id, key.name, ...secrets.map(({ lastFour }) => lastFour)];
  return text === "" || texts.some((one) => one.toLowerCase().includes(text));
}

/** Below 0 where key `a` is listed before key `b`, above where after it: the newest key comes first. */
export function newestFirst(a: Position, b: Position): number {
  if (a.createdAt !== b.createdAt) return b.createdAt - a.createdAt;
  if (a.id === b.id) return 0;
  return a.id < b.id ? 1 : -1;
}

const CURSOR = /^(\d{1,16})\.(key_[0-9A-Za-z]{1,64})$/;

/** A key's position as text. It stays valid when the key is no longer listed. */
export function cursorOf({ createdAt, id }: Pick<Key, "createdAt" | "id">): string {
  return `${createdAt}.${id}`;
}

/** The position that a cursor names, or undefined when it is malformed. */
export function positionOf(cursor: string): Position | undefined {
  const [, createdAt, id] = CURSOR.exec(cursor) ?? [];
  return createdAt === undefined || id === undefined ? undefined : { createdAt: Number(createdAt), id };
}
