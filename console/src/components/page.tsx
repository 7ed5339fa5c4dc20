import { type ComponentChildren, createContext } from "preact";
import { useEffect } from "preact/hooks";
import { ApiError, isInvalidRequest } from "../api/call.ts";
import type { Fetched } from "../api/hooks.ts";
import { setTitle } from "../deployment.ts";
import { announce } from "../focus.ts";
import { Icon, type IconName } from "./button.tsx";

type PageProps = {
  title: string;
  description?: ComponentChildren;
  actions?: ComponentChildren;
  children: ComponentChildren;
};

/** A page with its heading. The title is also that of the document, which screen readers announce. */
export function Page({ title, description, actions, children }: PageProps) {
  useEffect(() => {
    setTitle(title);
  }, [title]);
  return (
    <>
      <header class="page-head">
        <div>
          <h1 tabIndex={-1}>{title}</h1>
          {description !== undefined && <div class="description">{description}</div>}
        </div>
        {actions !== undefined && <div class="actions">{actions}</div>}
      </header>
      {children}
    </>
  );
}

export function Panel({
  title,
  aside,
  children,
}: {
  title: string;
  aside?: ComponentChildren;
  children: ComponentChildren;
}) {
  return (
    <section class="panel">
      <header>
        <h2>{title}</h2>
        {aside}
      </header>
      {children}
    </section>
  );
}

/** The message of an error; for a server error also the request id, by which its log entry is found. */
export function ErrorMessage({ error, onRetry }: { error: Error; onRetry?: () => void }) {
  const apiError = error instanceof ApiError ? error : undefined;
  return (
    <div class="error-message" role="alert">
      <Icon name="warning" />
      <div>
        <p>{error.message}</p>
        {apiError !== undefined && apiError.status >= 500 && apiError.requestId !== null && (
          <p class="faint">
            Request <code>{apiError.requestId}</code>
          </p>
        )}
      </div>
      {onRetry !== undefined && (
        <button class="button plain" type="button" onClick={onRetry}>
          Try again
        </button>
      )}
    </div>
  );
}

type AsyncContentProps<T> = {
  fetched: Fetched<T>;
  /** The number of lines of the skeleton. */
  lines?: number;
  children: (value: T) => ComponentChildren;
};

/** Whether what is shown is about to be replaced: it may belong to the page before. */
export const IsStale = createContext(false);

/** A fetched value, or a skeleton until it arrives. An error stands above the last value. */
export function AsyncContent<T>({ fetched, lines = 4, children }: AsyncContentProps<T>) {
  const { value, error, isLoading, reload } = fetched;
  return (
    <>
      {error !== undefined && <ErrorMessage error={error} {...(!isInvalidRequest(error) && { onRetry: reload })} />}
      {value === undefined && error === undefined && <Skeleton lines={lines} />}
      {value !== undefined && (
        <IsStale.Provider value={isLoading}>
          <div class={isLoading ? "content stale" : "content"}>{children(value)}</div>
        </IsStale.Provider>
      )}
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

/** What a list shows instead of items: that there are none, and how to add one. */
export function EmptyState({ icon, title, children }: { icon: IconName; title: string; children?: ComponentChildren }) {
  useEffect(() => announce(title), [title]);
  return (
    <div class="empty-state">
      <span class="illustration">
        <Icon name={icon} />
      </span>
      <h2>{title}</h2>
      {children}
    </div>
  );
}

export function DescriptionList({ children }: { children: ComponentChildren }) {
  return <dl class="description-list">{children}</dl>;
}

export function DescriptionItem({ term, children }: { term: string; children: ComponentChildren }) {
  return (
    <div>
      <dt>{term}</dt>
      <dd>{children}</dd>
    </div>
  );
}
