import type { ServiceState } from "../api/answers.ts";
import { useLoaded } from "../api/loaded.ts";
import { Badge } from "../parts/badge.tsx";
import { Fact, Facts } from "../parts/facts.tsx";
import { Moment } from "../parts/moment.tsx";
import { Page, Panel } from "../parts/page.tsx";
import { Show } from "../parts/show.tsx";
import { inFull, milliseconds } from "../words/number.ts";
import { howLong } from "../words/time.ts";

const engines = { sqlite: "SQLite", postgres: "PostgreSQL" } as const;

/** Which service this is, and whether what it stands on answers. */
export function ServicePage() {
  const loaded = useLoaded<ServiceState>("/state", 5_000);
  return (
    <Page title="Service" lead="What runs here, and whether what it stands on is well.">
      <Show loaded={loaded} lines={8}>
        {(state) => (
          <div class="columns">
            <Panel title="Stands on">
              <Facts>
                <Fact name={engines[state.database.engine]}>
                  <Standing health={state.database} />
                </Fact>
                <Fact name="Redis">
                  {state.redis.configured ? <Standing health={state.redis} /> : <span class="faint">not used</span>}
                </Fact>
                <Fact name="Nodes">{inFull(state.nodes)}</Fact>
              </Facts>
            </Panel>
            <Panel title="Runs">
              <Facts>
                <Fact name="Version">{state.version}</Fact>
                <Fact name="Deployment">{state.deployment}</Fact>
                <Fact name="Runtime">{state.runtime}</Fact>
                <Fact name="Started">
                  <Moment at={state.startedAt} />
                </Fact>
                <Fact name="Up for">{howLong(state.uptimeSeconds)}</Fact>
              </Facts>
            </Panel>
            <Panel title="Addresses">
              <Facts>
                {Object.entries(state.baseUrls).map(([deployment, url]) => (
                  <Fact key={deployment} name={`Clients call ${deployment}`}>
                    <code>{url}</code>
                  </Fact>
                ))}
              </Facts>
            </Panel>
          </div>
        )}
      </Show>
    </Page>
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
