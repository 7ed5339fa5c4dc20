import { useState } from "preact/hooks";

/** The way through a list that only tells what comes next: one cursor a page, the first page's being undefined. */
export type Trail<C> = {
  cursor: C | undefined;
  /** How many pages lie before this one. */
  page: number;
  forward(next: C): void;
  back(): void;
};

/** A trail that starts anew whenever the list is another one: when `of`, its filters, changes. */
export function useTrail<C>(of: string): Trail<C> {
  const [state, setState] = useState<{ of: string; cursors: C[] }>({ of, cursors: [] });
  const cursors = state.of === of ? state.cursors : [];
  return {
    cursor: cursors.at(-1),
    page: cursors.length,
    forward: (next) => setState({ of, cursors: [...cursors, next] }),
    back: () => setState({ of, cursors: cursors.slice(0, -1) }),
  };
}
