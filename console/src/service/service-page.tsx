import { useState } from "preact/hooks";
import { useFetch } from "../api/hooks.ts";
import type { ServiceState } from "../api/responses.ts";
import { Button } from "../components/button.tsx";
import { AsyncContent, DescriptionItem, DescriptionList, Page, Panel } from "../components/page.tsx";
import { Timestamp } from "../components/values.tsx";
import { deployment } from "../deployment.ts";
import { formatCount, formatDuration } from "../format.ts";
import { useIsAdmin } from "../session.tsx";
import { Dependencies } from "./dependencies.tsx";
import { ResetStaging } from "./reset-staging.tsx";

/** What runs, and whether its dependencies are healthy. */
export function ServicePage() {
  const fetched = useFetch<ServiceState>("/state", 5_000);
  const [isResetting, setResetting] = useState(false);
  const mayReset = useIsAdmin() && deployment === "staging";
  return (
    <Page
      title="Service"
      description="Version, runtime and the health of dependencies."
      actions={mayReset ? <Button onClick={() => setResetting(true)}>Reset staging</Button> : undefined}
    >
      <AsyncContent fetched={fetched} lines={8}>
        {(state) => (
          <div class="columns">
            <Panel title="Instance">
              <DescriptionList>
                <DescriptionItem term="Version">{state.version}</DescriptionItem>
                <DescriptionItem term="Deployment">{state.deployment}</DescriptionItem>
                <DescriptionItem term="Runtime">{state.runtime}</DescriptionItem>
                <DescriptionItem term="Nodes">{formatCount(state.nodes)}</DescriptionItem>
                <DescriptionItem term="Started">
                  <Timestamp at={state.startedAt} />
                </DescriptionItem>
                <DescriptionItem term="Uptime">{formatDuration(state.uptimeSeconds)}</DescriptionItem>
              </DescriptionList>
            </Panel>
            <div class="stack">
              <Dependencies state={state} />
              <Panel title="Base URLs">
                <DescriptionList>
                  <DescriptionItem term="Production">
                    <code>{state.baseUrls.production}</code>
                  </DescriptionItem>
                  <DescriptionItem term="Staging">
                    <code>{state.baseUrls.staging}</code>
                  </DescriptionItem>
                </DescriptionList>
              </Panel>
            </div>
          </div>
        )}
      </AsyncContent>
      {isResetting && <ResetStaging onClose={() => setResetting(false)} />}
    </Page>
  );
}
