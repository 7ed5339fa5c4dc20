import { useFetch } from "../api/hooks.ts";
import type { DeprecatedOperation, Deprecations } from "../api/responses.ts";
import { AsyncContent, EmptyState, Page } from "../components/page.tsx";
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
  return (
    <>
      <Countdown of={operation} />
      <Callers of={operation} />
    </>
  );
}
