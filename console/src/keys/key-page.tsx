import type { Key } from "../api/answers.ts";
import { Refusal } from "../api/call.ts";
import { useLoaded } from "../api/loaded.ts";
import { AuditList } from "../audit/audit-list.tsx";
import { Empty } from "../parts/empty.tsx";
import { Page } from "../parts/page.tsx";
import { Show } from "../parts/show.tsx";
import { useMayChange } from "../session/operator.ts";
import { KeyActions } from "./key-actions.tsx";
import { KeyFacts } from "./key-facts.tsx";
import { State } from "./key-table.tsx";
import { KeyUsage } from "./key-usage.tsx";
import { KeyWindows } from "./key-windows.tsx";

const EVERY = 3_000;

/** Everything there is to know of one key, and what may be done with it. */
export function KeyPage({ id }: { id: string }) {
  const path = `/keys/${encodeURIComponent(id)}`;
  const loaded = useLoaded<Key>(path, EVERY);
  const mayChange = useMayChange();
  const { value: key, error } = loaded;
  if (error instanceof Refusal && error.status === 404) {
    return (
      <Page title="Key">
        <Empty icon="keys" title="There is no such key">
          <p>
            Nothing has the id <code>{id}</code>. Look at <a href="#/keys">all keys</a>.
          </p>
        </Empty>
      </Page>
    );
  }
  return (
    <Page
      title={key?.name ?? "Key"}
      lead={
        <>
          <a href="#/keys">Keys</a> / <code>{id}</code> {key !== undefined && <State of={key} />}
        </>
      }
      actions={key !== undefined && mayChange && <KeyActions of={key} onDone={loaded.reload} />}
    >
      <Show loaded={loaded} lines={8}>
        {(shown) => (
          <>
            <div class="columns">
              <KeyWindows of={shown} />
              <KeyFacts of={shown} />
            </div>
            <KeyUsage path={path} />
            {/* Asked anew when the key has changed. */}
            <AuditList
              key={JSON.stringify([shown.plan, shown.limits, shown.expiresAt, shown.state, shown.lastFour])}
              of={id}
            />
          </>
        )}
      </Show>
    </Page>
  );
}
