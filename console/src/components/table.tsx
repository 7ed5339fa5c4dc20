import type { ComponentChildren } from "preact";
import { useContext, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Int64 } from "../api/responses.ts";
import { formatCount, pluralize } from "../format.ts";
import { listHref } from "../route.ts";
import { Button } from "./button.tsx";
import { IsStale } from "./page.tsx";

type Column = { title: string; isNumeric?: boolean; isHidden?: boolean };

/** The head of a table. A column that is only a title contains texts; `false` is left out. */
export function TableHead({ columns }: { columns: readonly (string | Column | false)[] }) {
  return (
    <thead>
      <tr>
        {columns
          .filter((column) => column !== false)
          .map((column) => (typeof column === "string" ? { title: column } : column))
          .map(({ title, isNumeric = false, isHidden = false }: Column) => (
            <th key={title} scope="col" class={isNumeric ? "number" : undefined}>
              {isHidden ? <span class="visually-hidden">{title}</span> : title}
            </th>
          ))}
      </tr>
    </thead>
  );
}

/** A region of limited height that scrolls, also with the keyboard. */
export function ScrollRegion({ label, children }: { label: string; children: ComponentChildren }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable with the keyboard
    <section class="scroll-region" tabIndex={0} aria-label={label}>
      {children}
    </section>
  );
}

/** How many entries a page of a list has. */
export const PAGE_SIZE = 50;

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

type PagerProps = {
  pagination: Pagination;
  /** The cursor of the next page; null on the last one. */
  next: Int64 | null;
  pageSize: number;
  /** How many items this page has. */
  count: number;
  /** How many items there are on all pages. */
  total?: number | undefined;
  /** Whether pages may have fewer items than they can hold, although more follow. */
  isCutShort?: boolean;
  noun: string;
  /** The noun with an s if it is left out. */
  plural?: string;
};

/** The range of items on this page, and buttons to the previous and next page. They lead to the beginning of the list, which stands before. */
export function Pager({ pagination, next, pageSize, count, total, isCutShort, noun, plural = `${noun}s` }: PagerProps) {
  const pager = useRef<HTMLElement>(null);
  const isTurned = useRef(false);
  const isStale = useContext(IsStale);
  useLayoutEffect(() => {
    const list = pager.current?.previousElementSibling;
    if (!isTurned.current || !(list instanceof HTMLElement)) return;
    isTurned.current = false;
    list.tabIndex = -1;
    list.focus({ preventScroll: true });
    list.scrollIntoView();
  }, [pagination.page]);
  const turn = (go: () => void) => () => {
    isTurned.current = true;
    go();
  };
  const first = pagination.page * pageSize + 1;
  const last = pagination.page * pageSize + count;
  const isOnlyPage = pagination.page === 0 && next === null;
  const ofTotal = total === undefined ? "" : ` of ${formatCount(total)}`;
  const range = `${formatCount(first)}–${formatCount(last)}${ofTotal}`;
  return (
    <nav ref={pager} class="pager" aria-label={`Pages of ${plural}`}>
      <span role="status">{isOnlyPage || isCutShort ? pluralize(count, noun, plural) : range}</span>
      {!isOnlyPage && (
        <>
          <Button icon="back" disabled={isStale || pagination.page === 0} onClick={turn(pagination.previous)}>
            Previous
          </Button>
          <Button
            icon="forward"
            disabled={isStale || next === null}
            onClick={turn(() => next !== null && pagination.next(next))}
          >
            Next
          </Button>
        </>
      )}
    </nav>
  );
}
