import { useState } from "preact/hooks";

/** The position in a list whose pages give only the cursor of the next one. */
export type Pagination<C> = {
  /** The cursor of the current page; undefined on the first one. */
  cursor: C | undefined;
  /** The index of the current page, from 0. */
  page: number;
  next(cursor: C): void;
  previous(): void;
};

/** A pagination that returns to the first page when `filter` changes. */
export function usePagination<C>(filter: string): Pagination<C> {
  const [state, setState] = useState<{ filter: string; cursors: C[] }>({ filter, cursors: [] });
  const cursors = state.filter === filter ? state.cursors : [];
  return {
    cursor: cursors.at(-1),
    page: cursors.length,
    next: (cursor) => setState({ filter, cursors: [...cursors, cursor] }),
    previous: () => setState({ filter, cursors: cursors.slice(0, -1) }),
  };
}
