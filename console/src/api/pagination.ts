import { useState } from "preact/hooks";
import { listHref } from "../route.ts";
import type { Int64 } from "./responses.ts";

/** The position in a list whose pages give only the cursor of the next one. */
export type Pagination = {
  /** The cursor of the current page; undefined on the first one. */
  cursor: string | undefined;
  /** The index of the current page, from 0. */
  page: number;
  next(cursor: Int64): void;
  previous(): void;
};

/** The pagination of a list that is a part of a page. It returns to the first page when `filter` changes. */
export function usePagination(filter = ""): Pagination {
  const [state, setState] = useState<{ filter: string; cursors: string[] }>({ filter, cursors: [] });
  const cursors = state.filter === filter ? state.cursors : [];
  return paginationOf(cursors, (changed) => setState({ filter, cursors: changed }));
}

/** The pagination that the address of a list has: an `after` for each page up to this one. Reload and back keep it. */
export function paginationIn(page: string, parameters: URLSearchParams): Pagination {
  const filters = [...parameters].filter(([name]) => name !== "after");
  return paginationOf(parameters.getAll("after"), (cursors) => {
    location.assign(listHref(page, [...filters, ...cursors.map((cursor) => ["after", cursor])]));
  });
}

function paginationOf(cursors: string[], goTo: (cursors: string[]) => void): Pagination {
  return {
    cursor: cursors.at(-1),
    page: cursors.length,
    next: (cursor) => goTo([...cursors, String(cursor)]),
    previous: () => goTo(cursors.slice(0, -1)),
  };
}
