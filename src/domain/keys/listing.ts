import type { Plan } from "../limits/plans.ts";
import type { Key } from "./key.ts";
import type { State } from "./state.ts";
import type { KeyWithSecrets } from "./store.ts";

/** The place of a key among all, newest first. */
export type Place = { createdAt: number; id: string };

/** Which keys are listed: those whose id, name or last four characters contain `search`, of these plans, in these states. */
export type Wanted = { search?: string | undefined; plan?: Plan[] | undefined; state?: State[] | undefined };

/** Whether a key that is in this state is among those that are wanted. */
export function isWanted({ key, secrets }: KeyWithSecrets, state: State, { search = "", ...wanted }: Wanted): boolean {
  if (wanted.plan !== undefined && !wanted.plan.includes(key.plan)) return false;
  if (wanted.state !== undefined && !wanted.state.includes(state)) return false;
  const text = search.trim().toLowerCase();
  const texts = [key.id, key.name, ...secrets.map(({ lastFour }) => lastFour)];
  return text === "" || texts.some((one) => one.toLowerCase().includes(text));
}

/** Below 0 where key `a` is listed before key `b`, above where after it: the newest key comes first. */
export function newestFirst(a: Place, b: Place): number {
  if (a.createdAt !== b.createdAt) return b.createdAt - a.createdAt;
  if (a.id === b.id) return 0;
  return a.id < b.id ? 1 : -1;
}

const CURSOR = /^(\d{1,16})\.(key_[0-9A-Za-z]{1,64})$/;

/** A text that names a key's place, also once that key is no longer listed. */
export function cursorOf({ createdAt, id }: Pick<Key, "createdAt" | "id">): string {
  return `${createdAt}.${id}`;
}

export function placeOf(cursor: string): Place | undefined {
  const [, createdAt, id] = CURSOR.exec(cursor) ?? [];
  return createdAt === undefined || id === undefined ? undefined : { createdAt: Number(createdAt), id };
}
