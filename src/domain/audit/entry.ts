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
  "operator.create",
  "operator.revoke",
  "session.create",
  "session.fail",
  "session.end",
  "pet.create",
  "pets.import.begin",
  "pets.import.batch",
  "pets.import.end",
] as const;
export type Action = (typeof actions)[number];

/**
 * One change at `at` (Unix ms). `target` is the id of what changed, if it has one; `before` and `after` are its states as
 * JSON values, without secrets.
 */
export type Entry = Author & { at: number; action: Action; target?: string; before?: unknown; after?: unknown };

/** An entry in the log. Ids are positive and increasing. */
export type RecordedEntry = Entry & { id: number };
