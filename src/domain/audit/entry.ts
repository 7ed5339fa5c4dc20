/** Who makes a change: an operator, or something without an id, such as the command line; and in which request. */
export type Author = { operator: Actor; requestId?: string };

/** How the log names who made a change. It outlives the operator. */
export type Actor = { id?: string; name: string };

export const actions = [
  "key.create",
  "key.update",
  "key.rotate",
  "key.revoke",
  "key.unban",
  "operator.create",
  "operator.revoke",
  "session.create",
  "session.end",
  "pet.create",
  "pets.import.begin",
  "pets.import.end",
] as const;
export type Action = (typeof actions)[number];

/**
 * One change, at `at` (Unix ms): of what (`target`, an id where it has one), and how that was before and after, as values
 * that JSON can hold. Never with a secret in it.
 */
export type Entry = Author & { at: number; action: Action; target?: string; before?: unknown; after?: unknown };

/** An entry in the log. Ids are positive and increasing. */
export type RecordedEntry = Entry & { id: number };
