import type { Audit } from "../api/answers.ts";
import { withQuery } from "../api/call.ts";
import { useLoaded } from "../api/loaded.ts";
import { useTrail } from "../api/trail.ts";
import { Empty } from "../parts/empty.tsx";
import { Panel } from "../parts/page.tsx";
import { Pages } from "../parts/pages.tsx";
import { Show } from "../parts/show.tsx";
import { AuditRow } from "./audit-row.tsx";

const SIZE = 50;
const SHORT = 10;

/** What was changed, newest first: everywhere, or of one key. */
export function AuditList({ of }: { of?: string }) {
  const trail = useTrail<number>(of ?? "");
  const size = of === undefined ? SIZE : SHORT;
  const loaded = useLoaded<Audit>(withQuery("/audit", { limit: size, before: trail.cursor, key: of }), 10_000);
  return (
    <Panel title={of === undefined ? "Changes" : "Changes to this key"}>
      <Show loaded={loaded} lines={6}>
        {({ entries, next }) =>
          entries.length === 0 ? (
            <Empty icon="audit" title="Nothing was changed yet" />
          ) : (
            <>
              <ol class="audit">
                {entries.map((entry) => (
                  <AuditRow key={entry.id} entry={entry} />
                ))}
              </ol>
              <Pages trail={trail} next={next} size={size} count={entries.length} noun="change" />
            </>
          )
        }
      </Show>
    </Panel>
  );
}
