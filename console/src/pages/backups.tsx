import { useEffect, useState } from "preact/hooks";
import { call, upload, withQuery } from "../api/call.ts";
import { useAction, useFetch } from "../api/hooks.ts";
import type { Backup, BackupJob, Backups } from "../api/responses.ts";
import { Button } from "../components/button.tsx";
import { Dialog } from "../components/dialog.tsx";
import { FileField, Form } from "../components/form.tsx";
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
  if (kind === "restoration") return "Restoring a backup into a new file…";
  if (kind === "upload") return "Checking an uploaded backup…";
  return place === "s3" ? "Downloading and verifying a backup…" : "Verifying a backup…";
}

const pathOf = ({ place, name }: Backup): string => `/backups/${place}/${encodeURIComponent(name)}`;

type BackupTableProps = {
  state: Backups;
  onVerify: (backup: Backup) => void;
  onOpen: (dialog: keyof typeof dialogs, backup: Backup) => void;
};

function BackupTable({ state: { backups, job }, onVerify, onOpen }: BackupTableProps) {
  if (backups.length === 0) {
    return (
      <EmptyState icon="backups" title="There are no backups yet">
        <p>“Back up now” makes one. A download can be uploaded again.</p>
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
                <a class="button plain" download href={`/admin/v1${pathOf(backup)}`}>
                  Download
                </a>
                <Button disabled={job !== null} onClick={() => onOpen("restore", backup)}>
                  Restore
                </Button>
                <Button kind="danger" disabled={job !== null} onClick={() => onOpen("remove", backup)}>
                  Delete
                </Button>
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
  const { everySeconds, keep, nextAt, directory, bucket, job, failure, unreachable, restored } = state;
  return (
    <>
      {failure !== null && <ErrorMessage error={new Error(`The last ${failure.kind} failed: ${failure.reason}`)} />}
      {unreachable.map(({ place, reason }) => (
        <ErrorMessage key={place} error={new Error(`${placeLabels[place]} cannot be read: ${reason}`)} />
      ))}
      {restored !== null && <Restored of={restored} />}
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

/** The new file with the contents of a backup, and what to do with it. */
function Restored({ of: { name, path, at } }: { of: NonNullable<Backups["restored"]> }) {
  return (
    <Panel title="Restored into a new file">
      <DescriptionList>
        <DescriptionItem term="Backup">
          <code>{name}</code>
        </DescriptionItem>
        <DescriptionItem term="New file">
          <code>{path}</code>
        </DescriptionItem>
        <DescriptionItem term="Restored">
          <Timestamp at={at} />
        </DescriptionItem>
      </DescriptionList>
      <NextSteps path={path} />
    </Panel>
  );
}

function NextSteps({ path }: { path: string }) {
  return (
    <ol class="steps">
      <li>
        To look into it, run commands with <code>DATABASE_URL=sqlite:{path}</code>, such as{" "}
        <code>petstore database check</code> or <code>petstore pets export</code>.
      </li>
      <li>
        To put the backup in the place of the database, stop the service and run <code>petstore database restore</code>{" "}
        with the backup: it keeps the database that is there, and no id is given again. Then start the service.
      </li>
      <li>Delete the new file once you do not need it.</li>
    </ol>
  );
}

type BackupDialogProps = { of: Backup; onClose: () => void; onDone: () => void };

function RestoreBackup({ of: backup, onClose, onDone }: BackupDialogProps) {
  const action = useAction();
  const restore = async () => {
    await call("POST", `${pathOf(backup)}/restore`);
    onDone();
    onClose();
  };
  return (
    <Dialog title="Restore into a new file?" onClose={onClose}>
      <Form action={action} submitLabel="Restore into a new file" onSubmit={restore}>
        <p>
          The backup <code class="cut">{backup.name}</code> is checked and written to a new file beside the database,
          which stays as it is. This page then says where it is, and what to do with it.
        </p>
      </Form>
    </Dialog>
  );
}

function RemoveBackup({ of: backup, onClose, onDone }: BackupDialogProps) {
  const action = useAction();
  const remove = async () => {
    await call("DELETE", pathOf(backup));
    onDone();
    onClose();
  };
  return (
    <Dialog title="Delete backup?" onClose={onClose}>
      <Form action={action} submitLabel="Delete backup" isDangerous onSubmit={remove}>
        <p>
          <code class="cut">{backup.name}</code> is deleted from the {placeLabels[backup.place].toLowerCase()}.{" "}
          <strong>This cannot be undone.</strong>
        </p>
      </Form>
    </Dialog>
  );
}

const dialogs = { restore: RestoreBackup, remove: RemoveBackup };

function UploadBackup({ onClose, onDone }: Omit<BackupDialogProps, "of">) {
  const [file, setFile] = useState<File>();
  const action = useAction();
  const send = async () => {
    await upload<Backup>(withQuery("/backups/upload", { name: file?.name }), file);
    onDone();
    onClose();
  };
  return (
    <Dialog title="Upload backup" onClose={onClose} isDismissible={!action.isPending}>
      <Form action={action} submitLabel="Upload" onSubmit={send}>
        <FileField
          label="Backup"
          hint="A download, under its name, such as petstore-production-2026-12-02T10-00-00.250Z.db. It is listed once it was read and found intact."
          accept=".db"
          isRequired
          isDisabled={action.isPending}
          onChange={setFile}
        />
      </Form>
    </Dialog>
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
  const [open, setOpen] = useState<{ dialog: keyof typeof dialogs; of: Backup }>();
  const [isUploading, setUploading] = useState(false);
  const action = useAction();
  const OpenDialog = open && dialogs[open.dialog];
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
          <>
            <Button
              icon="backups"
              kind="primary"
              isPending={action.isPending || job !== null}
              onClick={() => begin("/backups")}
            >
              Back up now
            </Button>
            <Button icon="upload" onClick={() => setUploading(true)}>
              Upload
            </Button>
          </>
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
                onVerify={(backup) => begin(`${pathOf(backup)}/verify`)}
                onOpen={(dialog, of) => setOpen({ dialog, of })}
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
      {open !== undefined && OpenDialog !== undefined && (
        <OpenDialog
          of={open.of}
          onClose={() => setOpen(undefined)}
          onDone={() => {
            if (open.dialog === "restore") setBusy(true);
            fetched.reload();
          }}
        />
      )}
      {isUploading && <UploadBackup onClose={() => setUploading(false)} onDone={fetched.reload} />}
    </Page>
  );
}
