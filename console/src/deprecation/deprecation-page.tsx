import { useFetch } from "../api/fetched.ts";
import type { DeprecatedOperation, Deprecations } from "../api/responses.ts";
import { AsyncContent } from "../components/async-content.tsx";
import { EmptyState } from "../components/empty-state.tsx";
import { Page, Panel } from "../components/page.tsx";
import { formatCount, pluralize } from "../format/number.ts";
import { Callers } from "./callers.tsx";
import { Countdown } from "./countdown.tsx";

/** The deprecated operations, and the keys that still call them. */
export function DeprecationPage() {
  const fetched = useFetch<Deprecations>("/deprecations", 30_000);
  return (
    <Page title="Deprecation" description="Operations that will be removed, and the keys that still call them.">
      <AsyncContent fetched={fetched} lines={6}>
        {({ operations }) =>
          operations.length === 0 ? (
            <EmptyState icon="deprecation" title="Nothing is deprecated" />
          ) : (
            operations.map((operation) => <Deprecation key={operation.operation} of={operation} />)
          )
        }
      </AsyncContent>
    </Page>
  );
}

function Deprecation({ of: operation }: { of: DeprecatedOperation }) {
  const { callers } = operation;
  const calls = callers.reduce((sum, caller) => sum + caller.calls, 0);
  return (
    <>
      <Countdown of={operation} />
      <Panel
        title="Callers"
        aside={
          callers.length > 0 && (
            <span class="faint">
              {pluralize(callers.length, "key")}, {formatCount(calls)} calls
            </span>
          )
        }
      >
        {callers.length === 0 ? (
          <EmptyState icon="check" title="No callers">
            <p>No key has called this operation.</p>
          </EmptyState>
        ) : (
          <Callers callers={callers} />
        )}
      </Panel>
    </>
  );
}
