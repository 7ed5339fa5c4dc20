import type { ServiceState } from "../api/answers.ts";
import { useLoaded } from "../api/loaded.ts";
import { Fact, Facts } from "../parts/facts.tsx";
import { Moment } from "../parts/moment.tsx";
import { Page, Panel } from "../parts/page.tsx";
import { Show } from "../parts/show.tsx";
import { howLong } from "../words/time.ts";
import { StandsOn } from "./stands-on.tsx";

/** Which service this is, and whether what it stands on answers. */
export function ServicePage() {
  const loaded = useLoaded<ServiceState>("/state", 5_000);
  return (
    <Page title="Service" lead="What runs here, and whether what it stands on is well.">
      <Show loaded={loaded} lines={8}>
        {(state) => (
          <div class="columns">
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
            <div class="stack">
              <StandsOn state={state} />
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
          </div>
        )}
      </Show>
    </Page>
  );
}
