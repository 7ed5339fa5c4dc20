import type { Trail } from "../api/trail.ts";
import { inFull, plural } from "../words/number.ts";
import { Button } from "./button.tsx";

type PagesProps<C> = { trail: Trail<C>; next: C | null; size: number; count: number; total?: number; noun: string };

/** Which part of a list this is, and the ways to the parts before and after. */
export function Pages<C>({ trail, next, size, count, total, noun }: PagesProps<C>) {
  const first = trail.page * size + 1;
  const last = trail.page * size + count;
  const isWhole = trail.page === 0 && next === null;
  const range = `${inFull(first)}–${inFull(last)}${total === undefined ? "" : ` of ${inFull(total)}`}`;
  return (
    <nav class="pages" aria-label="Pages">
      <span>{isWhole ? plural(count, noun) : range}</span>
      {!isWhole && (
        <>
          <Button icon="back" disabled={trail.page === 0} onClick={trail.back}>
            Previous
          </Button>
          <Button icon="forward" disabled={next === null} onClick={() => next !== null && trail.forward(next)}>
            Next
          </Button>
        </>
      )}
    </nav>
  );
}
