import type { DeprecatedOperation, Deprecations } from "../api/answers.ts";
import { useLoaded } from "../api/loaded.ts";
import { Empty } from "../parts/empty.tsx";
import { Page, Panel } from "../parts/page.tsx";
import { Show } from "../parts/show.tsx";
import { inFull, plural } from "../words/number.ts";
import { Callers } from "./callers.tsx";
import { Countdown } from "./countdown.tsx";

/** What will be removed and when, and who still calls it. */
export function DeprecationPage() {
  const loaded = useLoaded<Deprecations>("/deprecations", 30_000);
  return (
    <Page title="Deprecation" lead="What will be removed, and who has to move before.">
      <Show loaded={loaded} lines={6}>
        {({ operations }) =>
          operations.length === 0 ? (
            <Empty icon="deprecation" title="Nothing is deprecated" />
          ) : (
            operations.map((operation) => <Deprecated key={operation.operation} of={operation} />)
          )
        }
      </Show>
    </Page>
  );
}

function Deprecated({ of: operation }: { of: DeprecatedOperation }) {
  const { callers } = operation;
  const calls = callers.reduce((sum, caller) => sum + caller.calls, 0);
  return (
    <>
      <Countdown of={operation} />
      <Panel
        title="Who must migrate"
        aside={
          callers.length > 0 && (
            <span class="faint">
              {plural(callers.length, "key")}, {inFull(calls)} calls
            </span>
          )
        }
      >
        {callers.length === 0 ? (
          <Empty icon="done" title="Nobody calls it">
            <p>No key has called this operation. It can go when its day comes.</p>
          </Empty>
        ) : (
          <Callers callers={callers} />
        )}
      </Panel>
    </>
  );
}
