import type { ServiceState } from "../api/responses.ts";
import { DescriptionItem, DescriptionList, Panel } from "../components/page.tsx";
import { Badge } from "../components/values.tsx";
import { formatMilliseconds } from "../format.ts";

const engines = { sqlite: "SQLite", postgres: "PostgreSQL" } as const;

/** The health and latency of the database and Redis. */
export function Dependencies({ state: { database, redis } }: { state: ServiceState }) {
  return (
    <Panel title="Dependencies">
      <DescriptionList>
        <DescriptionItem term={engines[database.engine]}>
          <Health of={database} />
        </DescriptionItem>
        <DescriptionItem term="Redis">
          {redis.configured ? <Health of={redis} /> : <span class="faint">not configured</span>}
        </DescriptionItem>
      </DescriptionList>
    </Panel>
  );
}

function Health({ of: { ok, latencyMs } }: { of: Pick<ServiceState["database"], "ok" | "latencyMs"> }) {
  return (
    <>
      <Badge tone={ok ? "good" : "bad"}>{ok ? "healthy" : "not responding"}</Badge>
      {ok && latencyMs !== null && <span class="faint"> {formatMilliseconds(latencyMs)}</span>}
    </>
  );
}
