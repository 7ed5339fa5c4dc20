import { ApiError } from "../api/call.ts";
import { useFetch } from "../api/hooks.ts";
import type { Key } from "../api/responses.ts";
import { History } from "../audit/history.tsx";
import { AsyncContent, EmptyState, Page } from "../components/page.tsx";
import { useIsAdmin } from "../session.tsx";
import { KeyActions } from "./key-actions.tsx";
import { KeyDetails } from "./key-details.tsx";
import { KeyLimits } from "./key-limits.tsx";
import { KeyRequests } from "./key-requests.tsx";
import { StateBadge } from "./key-table.tsx";
import { KeyUsage } from "./key-usage.tsx";

const REFRESH_MS = 3_000;

/** The limits, details, usage and audit log of a key, and its actions. */
export function KeyPage({ id }: { id: string }) {
  const path = `/keys/${encodeURIComponent(id)}`;
  const fetched = useFetch<Key>(path, REFRESH_MS);
  const isAdmin = useIsAdmin();
  const { value: key, error } = fetched;
  if (error instanceof ApiError && error.status === 404) {
    return (
      <Page title="Key">
        <EmptyState icon="keys" title="Key not found">
          <p>
            No key has the id <code>{id}</code>. See <a href="#/keys">all keys</a>.
          </p>
        </EmptyState>
      </Page>
    );
  }
  return (
    <Page
      title={key?.name ?? "Key"}
      description={
        <>
          <a href="#/keys">Keys</a> / <code>{id}</code> {key !== undefined && <StateBadge of={key} />}
        </>
      }
      actions={key !== undefined && isAdmin && <KeyActions of={key} onDone={fetched.reload} />}
    >
      <AsyncContent fetched={fetched} lines={8}>
        {(current) => (
          <>
            <div class="columns">
              <KeyLimits of={current} />
              <KeyDetails of={current} />
            </div>
            <KeyUsage path={path} />
            <KeyRequests id={id} />
            {/* Fetched again when the key changes. */}
            <History key={changesOf(current)} kind="key" id={id} />
          </>
        )}
      </AsyncContent>
    </Page>
  );
}

/** What only changes of the key change. */
function changesOf(key: Key): string {
  return JSON.stringify({ ...key, usage: null, lastUsedAt: null, simulation: { ...key.simulation, requests: null } });
}
