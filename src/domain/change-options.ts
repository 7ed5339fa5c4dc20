import type { EntryOf } from "./audit/entry.ts";
import type { Preconditions } from "./entity-tag.ts";
import type { IdempotencyKey } from "./idempotency-key.ts";

/** What a change requires and records: the state that the resource must have; its entry in the audit log. */
export type ChangeOptions<T> = { preconditions?: Preconditions | undefined; entryOf?: EntryOf<T> | undefined };

/** What a creation records: the idempotency key of its request; its entry in the audit log. */
export type CreationOptions<T> = { key?: IdempotencyKey | undefined; entryOf?: EntryOf<T> | undefined };
