import { useState } from "preact/hooks";
import { upload } from "../api/call.ts";
import { REFRESH_MS, useAction, useFetch } from "../api/hooks.ts";
import type { ServiceState, ShopContents } from "../api/responses.ts";
import { Button } from "../components/button.tsx";
import { Dialog } from "../components/dialog.tsx";
import { FileField, Form } from "../components/form.tsx";
import { AsyncContent, DescriptionItem, DescriptionList, Page, Panel } from "../components/page.tsx";
import { Badge, Timestamp } from "../components/values.tsx";
import { deployment } from "../deployment.ts";
import { formatCount, formatDuration, formatMilliseconds, pluralize } from "../format.ts";
import { useIsAdmin } from "../session.tsx";

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
        {redis.eviction !== null && (
          <DescriptionItem term="Eviction">
            <Eviction reason={redis.eviction} />
          </DescriptionItem>
        )}
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

/** Redis may remove counts: by its policy, or it has done so. */
function Eviction({ reason }: { reason: string }) {
  return (
    <>
      <Badge tone="warn">limits may be exceeded</Badge>{" "}
      {reason === "observed" ? "Redis has lost a key before it expired." : <code>{reason}</code>}
      <br />
      <span class="faint">
        Set <code>maxmemory-policy</code> to <code>noeviction</code>.
      </span>
    </>
  );
}

/** Replaces everything that clients of staging see, after a confirmation. */
function ResetStaging({ onClose }: { onClose: () => void }) {
  const action = useAction();
  const [file, setFile] = useState<File>();
  const [contents, setContents] = useState<ShopContents>();
  const reset = async () => setContents(await upload<ShopContents>("/staging/reset", file));
  if (contents !== undefined) return <Done contents={contents} onClose={onClose} />;
  return (
    <Dialog title="Reset staging?" onClose={onClose} isDismissible={!action.isPending}>
      <Form action={action} submitLabel="Reset staging" isDangerous onSubmit={reset}>
        <p>
          All pets, categories and orders are removed, and sample ones take their place at once. Keys, usage and the
          audit log stay. <strong>This cannot be undone.</strong>
        </p>
        <FileField
          label="Pets of a file instead"
          hint="Optional: NDJSON or CSV, as for an import of pets, with at most 10,000 pets. They come without orders."
          isDisabled={action.isPending}
          onChange={setFile}
        />
      </Form>
    </Dialog>
  );
}

function Done({ contents: { pets, categories, orders, firstPetId }, onClose }: DoneProps) {
  return (
    <Dialog title="Staging was reset" onClose={onClose}>
      <p>
        It has {pluralize(pets, "pet")}
        {firstPetId !== null && ` from id ${firstPetId} on`}, {pluralize(categories, "category", "categories")} and{" "}
        {pluralize(orders, "order")}.
      </p>
      <footer>
        <Button kind="primary" onClick={onClose}>
          Done
        </Button>
      </footer>
    </Dialog>
  );
}

type DoneProps = { contents: ShopContents; onClose: () => void };

/** What runs, and whether its dependencies are healthy. */
export function ServicePage() {
  const fetched = useFetch<ServiceState>("/state", REFRESH_MS);
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
