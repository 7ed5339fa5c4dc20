import type { Action, Author, EntryOf } from "./entry.ts";

type Change<T> = { author: Author; action: Action; at: number; json: (value: T) => object };

/** Makes the entries of one kind of change, at `at` (Unix ms), of what has an id. `json` gives its states for the log. */
export function changeEntry<T extends { id: number | bigint }>({ author, action, at, json }: Change<T>): EntryOf<T> {
  return (before, after) => {
    const changed = after ?? before;
    return {
      ...author,
      at,
      action,
      ...(changed && { target: String(changed.id) }),
      ...(before && { before: json(before) }),
      ...(after && { after: json(after) }),
    };
  };
}
