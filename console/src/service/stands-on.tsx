import type { ServiceState } from "../api/answers.ts";
import { Badge } from "../parts/badge.tsx";
import { Fact, Facts } from "../parts/facts.tsx";
import { Panel } from "../parts/page.tsx";
import { inFull, milliseconds } from "../words/number.ts";

const engines = { sqlite: "SQLite", postgres: "PostgreSQL" } as const;

/** Whether what the service stands on answers, and how soon. */
export function StandsOn({ state: { database, redis, nodes } }: { state: ServiceState }) {
  return (
    <Panel title="Stands on">
      <Facts>
        <Fact name={engines[database.engine]}>
          <Standing health={database} />
        </Fact>
        <Fact name="Redis">{redis.configured ? <Standing health={redis} /> : <span class="faint">not used</span>}</Fact>
        <Fact name="Nodes">{inFull(nodes)}</Fact>
      </Facts>
    </Panel>
  );
}

function Standing({ health: { ok, latencyMs } }: { health: Pick<ServiceState["database"], "ok" | "latencyMs"> }) {
  return (
    <>
      <Badge tone={ok ? "good" : "bad"}>{ok ? "well" : "does not answer"}</Badge>
      {ok && latencyMs !== null && <span class="faint"> {milliseconds(latencyMs)}</span>}
    </>
  );
}
