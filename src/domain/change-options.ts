import type { EntryOf } from "./audit/entry.ts";
import type { EntityTags } from "./entity-tag.ts";

/** What a change requires and records: the tags of which the resource must have one; its entry in the audit log. */
export type ChangeOptions<T> = { tags?: EntityTags | undefined; entryOf?: EntryOf<T> | undefined };
