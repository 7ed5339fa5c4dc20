import { useLayoutEffect, useRef } from "preact/hooks";
import type { Pagination } from "../api/pagination.ts";
import type { Int64 } from "../api/responses.ts";
import { formatCount, pluralize } from "../format/number.ts";
import { Button } from "./button.tsx";

type PagerProps = {
  pagination: Pagination;
  /** The cursor of the next page; null on the last one. */
  next: Int64 | null;
  pageSize: number;
  /** How many items this page has. */
  count: number;
  /** How many items there are on all pages; at least so many, unless it is exact. */
  total?: number;
  isTotalExact?: boolean;
  noun: string;
  /** The noun with an s if it is left out. */
  plural?: string;
};

/** The range of items on this page, and buttons to the previous and next page. They lead to the beginning of the list, which stands before. */
export function Pager({
  pagination,
  next,
  pageSize,
  count,
  total,
  isTotalExact = true,
  noun,
  plural = `${noun}s`,
}: PagerProps) {
  const pager = useRef<HTMLElement>(null);
  const isTurned = useRef(false);
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
  const ofTotal = total === undefined ? "" : ` of ${formatCount(total)}${isTotalExact ? "" : "+"}`;
  const range = `${formatCount(first)}–${formatCount(last)}${ofTotal}`;
  return (
    <nav ref={pager} class="pager" aria-label={`Pages of ${plural}`}>
      <span role="status">{isOnlyPage ? pluralize(count, noun, plural) : range}</span>
      {!isOnlyPage && (
        <>
          <Button icon="back" disabled={pagination.page === 0} onClick={turn(pagination.previous)}>
            Previous
          </Button>
          <Button icon="forward" disabled={next === null} onClick={turn(() => next !== null && pagination.next(next))}>
            Next
          </Button>
        </>
      )}
    </nav>
  );
}
