import { useEffect, useState } from "preact/hooks";
import { call } from "../api/call.ts";
import { useAction, useFetch } from "../api/hooks.ts";
import type { Backup, BackupJob, Backups } from "../api/responses.ts";
import { Button } from "../components/button.tsx";
import {
  AsyncContent,
  DescriptionItem,
  DescriptionList,
  EmptyState,
  ErrorMessage,
  Page,
  Panel,
} from "../components/page.tsx";
import { TableHead } from "../components/table.tsx";
import { Badge, Timestamp } from "../components/values.tsx";
import { announce } from "../focus.ts";
import { formatBytes, formatDuration, pluralize } from "../format.ts";
import { useIsAdmin } from "../session.tsx";

const placeLabels: Record<Backup["place"], string> = { directory: "Directory", s3: "Bucket" };

function jobLabel({ kind, place }: BackupJob): string {
  if (kind === "backup") return "Making a backup…";
  return place === "s3" ? "Downloading and verifying a backup…" : "Verifying a backup…";
}

type BackupTableProps = { state: Backups; onVerify: (backup: Backup) => void };

function BackupTable({ state: { backups, job }, onVerify }: BackupTableProps) {
  if (backups.length === 0) {
    return (
      <EmptyState icon="backups" title="There are no backups yet">
        <p>“Back up now” makes one.</p>
      </EmptyState>
    );
  }
  return (
    <table class="cards">
      <TableHead
        columns={[
          "Made",
          "Place",
          { title: "Size", isNumeric: true },
          "Contents",
          "State",
          { title: "Actions", isHidden: true },
        ]}
      />
      <tbody>
        {backups.map((backup) => (
          <tr key={`${backup.place}/${backup.name}`}>
            <th scope="row">
              <Timestamp at={backup.createdAt} />
              <span class="faint">{causeOf(backup)}</span>
            </th>
            <td data-label="Place">{placeLabels[backup.place]}</td>
            <td data-label="Size" class="number">
              {formatBytes(backup.bytes)}
            </td>
            <td data-label="Contents">{contentsOf(backup)}</td>
            <td data-label="State">
              <State of={backup} />
            </td>
            <td class="row-actions">
              <div>
                <Button isPending={job !== null} onClick={() => onVerify(backup)}>
                  Verify
                </Button>
                <a
                  class="button plain"
                  download
                  href={`/admin/v1/backups/${backup.place}/${encodeURIComponent(backup.name)}`}
                >
                  Download
                </a>
              </div>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function causeOf({ cause }: Backup): string {
  if (cause === null) return "without a description";
  return cause === "schedule" ? "by the schedule" : "by an operator";
}

function contentsOf({ pets, orders, keys }: Backup) {
  if (pets === null || orders === null || keys === null) return <span class="faint">unknown</span>;
  return `${pluralize(pets, "pet")}, ${pluralize(orders, "order")}, ${pluralize(keys, "key")}`;
}

function State({ of: { verifiedAt, problem } }: { of: Backup }) {
  if (verifiedAt === null) return <Badge tone="warn">not verified</Badge>;
  if (problem === null) {
    return (
      <>
        <Badge tone="good">verified</Badge>{" "}
        <span class="faint">
          <Timestamp at={verifiedAt} format="relative" />
        </span>
      </>
    );
  }
  return (
    <>
      <Badge tone="bad">damaged</Badge> <span class="faint">{problem}</span>
    </>
  );
}

/** When and where backups are made, what is under way, and what went wrong. */
function Schedule({ state }: { state: Backups }) {
  const { everySeconds, keep, nextAt, directory, bucket, job, failure, unreachable } = state;
  return (
    <>
      {failure !== null && <ErrorMessage error={new Error(`The last ${failure.kind} failed: ${failure.reason}`)} />}
      {unreachable.map(({ place, reason }) => (
        <ErrorMessage key={place} error={new Error(`${placeLabels[place]} cannot be read: ${reason}`)} />
      ))}
      <Panel title="Schedule">
        <DescriptionList>
          <DescriptionItem term="Now">
            {job === null ? <span class="faint">idle</span> : <span role="status">{jobLabel(job)}</span>}
          </DescriptionItem>
          <DescriptionItem term="Interval">
            {everySeconds === null ? (
              <span class="faint">
                none: set <code>PETSTORE_BACKUP_EVERY</code>
              </span>
            ) : (
              `every ${formatDuration(everySeconds)}, the last ${keep} are kept`
            )}
          </DescriptionItem>
          {nextAt !== null && (
            <DescriptionItem term="Next">
              <Timestamp at={nextAt} />
            </DescriptionItem>
          )}
          <DescriptionItem term="Directory">
            <code>{directory}</code>
          </DescriptionItem>
          <DescriptionItem term="Bucket">
            {bucket === null ? (
              <span class="faint">
                none: set <code>PETSTORE_BACKUP_S3</code>
              </span>
            ) : (
              <code>{bucket}</code>
            )}
          </DescriptionItem>
        </DescriptionList>
      </Panel>
    </>
  );
}

/** How often the list is fetched, in ms: while a job is under way, and otherwise. */
const BUSY_INTERVAL = 1_500;
const IDLE_INTERVAL = 30_000;

export function BackupsPage() {
  if (useIsAdmin()) return <BackupList />;
  return (
    <Page title="Backups">
      <EmptyState icon="backups" title="Only admins see the backups" />
    </Page>
  );
}

function BackupList() {
  const [isBusy, setBusy] = useState(false);
  const fetched = useFetch<Backups>("/backups", isBusy ? BUSY_INTERVAL : IDLE_INTERVAL);
  const action = useAction();
  const { value } = fetched;
  const job = value?.job ?? null;
  useEffect(() => {
    if (value === undefined) return;
    if (isBusy && job === null) announce(value.failure === null ? "Done." : `It failed: ${value.failure.reason}`);
    setBusy(job !== null);
  }, [value]);
  const begin = (path: string) =>
    action.run(async () => {
      await call("POST", path);
      setBusy(true);
      fetched.reload();
    });
  return (
    <Page
      title="Backups"
      description="Copies of the database, each checked when it was written."
      actions={
        value?.isAvailable && (
          <Button
            icon="backups"
            kind="primary"
            isPending={action.isPending || job !== null}
            onClick={() => begin("/backups")}
          >
            Back up now
          </Button>
        )
      }
    >
      {action.error !== undefined && <ErrorMessage error={action.error} />}
      <AsyncContent fetched={fetched} lines={6}>
        {(state) =>
          state.isAvailable ? (
            <>
              <Schedule state={state} />
              <BackupTable
                state={state}
                onVerify={({ place, name }) => begin(`/backups/${place}/${encodeURIComponent(name)}/verify`)}
              />
            </>
          ) : (
            <EmptyState icon="backups" title="This service makes no backups">
              <p>
                PostgreSQL has tools of its own for them, such as <code>pg_dump</code>, and a database in memory has
                nothing to keep.
              </p>
            </EmptyState>
          )
        }
      </AsyncContent>
    </Page>
  );
}
