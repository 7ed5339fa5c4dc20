/** Who makes a change: an operator, or something without an id, such as the command line. `requestId`: the HTTP request. */
export type Author = { operator: Actor; requestId?: string };

/** The name of an author in the log. It stays when the operator is revoked. */
export type Actor = { id?: string; name: string };

export const actions = [
  "key.create",
  "key.update",
  "key.rotate",
  "key.grace.end",
  "key.disable",
  "key.enable",
  "key.revoke",
  "key.unban",
  "key.simulate",
  "key.simulation.end",
  "operator.create",
  "operator.revoke",
  "session.create",
  "session.fail",
  "session.end",
  "pet.create",
  "pet.update",
  "pet.delete",
  "pets.import.begin",
  "pets.import.batch",
  "pets.import.end",
  "category.create",
  "category.update",
  "category.delete",
  "order.place",
  "order.update",
  "shop.replace",
  "backup.create",
  "backup.verify",
  "backup.download",
] as const;
export type Action = (typeof actions)[number];

/**
 * One change at `at` (Unix ms). `target` is the id of what changed, if it has one; `before` and `after` are its states as
 * JSON values, without secrets.
 */
export type Entry = Author & { at: number; action: Action; target?: string; before?: unknown; after?: unknown };

/** Makes the entry of a change from its states before and after. There is none before a creation, and none after a removal. */
export type EntryOf<T> = (before: T | undefined, after: T | undefined) => Entry;

/** An entry in the log. Ids are positive and increasing. */
export type RecordedEntry = Entry & { id: number };
