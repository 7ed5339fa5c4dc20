import type { ComponentChildren } from "preact";
import { isInvalidRequest } from "../api/call.ts";
import type { Fetched } from "../api/fetched.ts";
import { ErrorMessage } from "./error-message.tsx";

type AsyncContentProps<T> = {
  fetched: Fetched<T>;
  /** The number of lines of the skeleton. */
  lines?: number;
  children: (value: T) => ComponentChildren;
};

/** A fetched value, or a skeleton until it arrives. An error stands above the last value. */
export function AsyncContent<T>({ fetched, lines = 4, children }: AsyncContentProps<T>) {
  const { value, error, isLoading, reload } = fetched;
  return (
    <>
      {error !== undefined && <ErrorMessage error={error} {...(!isInvalidRequest(error) && { onRetry: reload })} />}
      {value === undefined && error === undefined && <Skeleton lines={lines} />}
      {value !== undefined && <div class={isLoading ? "content stale" : "content"}>{children(value)}</div>}
    </>
  );
}

function Skeleton({ lines }: { lines: number }) {
  return (
    <div class="skeleton" role="status">
      <span class="visually-hidden">Loading</span>
      {Array.from({ length: lines }, (_, line) => (
        <span key={line} class="bar" />
      ))}
    </div>
  );
}
