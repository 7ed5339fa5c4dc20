import { useState } from "preact/hooks";
import { upload } from "../api/call.ts";
import { REFRESH_MS, useAction, useFetch } from "../api/hooks.ts";
import type { ServiceState, Settings, ShopContents } from "../api/responses.ts";
import { Button } from "../components/button.tsx";
import { Dialog } from "../components/dialog.tsx";
import { FileField, Form } from "../components/form.tsx";
import { AsyncContent, DescriptionItem, DescriptionList, Page, Panel } from "../components/page.tsx";
import { TableHead } from "../components/table.tsx";
import { Badge, Timestamp } from "../components/values.tsx";
import { deployment } from "../deployment.ts";
import { formatBytes, formatCount, formatDuration, formatMilliseconds, formatPercent, pluralize } from "../format.ts";
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

/** The size of the database, and the room that it has. */
function Storage({ of: { database, disk } }: { of: Settings }) {
  return (
    <Panel title="Storage">
      <DescriptionList>
        <DescriptionItem term="Database">
          {database.location === null ? "in memory" : <code>{database.location}</code>}
        </DescriptionItem>
        {database.bytes !== null && <DescriptionItem term="Size">{formatBytes(database.bytes)}</DescriptionItem>}
        <DescriptionItem term="Free disk">
          {disk === null ? (
            <span class="faint">the database has none here</span>
          ) : (
            `${formatBytes(disk.freeBytes)} of ${formatBytes(disk.bytes)}, ${formatPercent(disk.freeBytes, disk.bytes)}`
          )}
        </DescriptionItem>
      </DescriptionList>
    </Panel>
  );
}

const sources = { default: "default", environment: "environment", option: "option of serve" } as const;

/** Each setting as it holds. Those that have their defaults are folded. */
function SettingsPanel({ of: { settings } }: { of: Settings }) {
  const byDefault = settings.filter(({ source }) => source === "default");
  return (
    <Panel title="Settings">
      <SettingsTable settings={settings.filter(({ source }) => source !== "default")} />
      <details>
        <summary>Settings by default</summary>
        <SettingsTable settings={byDefault} />
      </details>
    </Panel>
  );
}

function SettingsTable({ settings }: Pick<Settings, "settings">) {
  if (settings.length === 0) return <p class="quiet">None is set.</p>;
  return (
    <table class="cards">
      <TableHead columns={["Setting", "Value", "From"]} />
      <tbody>
        {settings.map(({ name, value, source }) => (
          <tr key={name}>
            <th scope="row">
              <code>{name}</code>
            </th>
            <td data-label="Value">{value === null ? <span class="faint">not set</span> : <code>{value}</code>}</td>
            <td data-label="From">{sources[source]}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** How often the settings are fetched, in ms: the size and the disk change. */
const SETTINGS_MS = 30_000;

/** What runs, and whether its dependencies are healthy. */
export function ServicePage() {
  const fetched = useFetch<ServiceState>("/state", REFRESH_MS);
  const settings = useFetch<Settings>("/settings", SETTINGS_MS);
  const [isResetting, setResetting] = useState(false);
  const mayReset = useIsAdmin() && deployment === "staging";
  return (
    <Page
      title="Service"
      description="Version, runtime, the health of dependencies, storage and settings."
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
      <AsyncContent fetched={settings} lines={8}>
        {(known) => (
          <div class="stack settings">
            <Storage of={known} />
            <SettingsPanel of={known} />
          </div>
        )}
      </AsyncContent>
      {isResetting && <ResetStaging onClose={() => setResetting(false)} />}
    </Page>
  );
}
