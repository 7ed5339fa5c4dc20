import { useEffect, useState } from "preact/hooks";
import { call } from "../api/call.ts";
import { useAction, useFetch } from "../api/hooks.ts";
import type { Backups } from "../api/responses.ts";
import { Button } from "../components/button.tsx";
import { AsyncContent, EmptyState, ErrorMessage, Page } from "../components/page.tsx";
import { announce } from "../focus.ts";
import { useIsAdmin } from "../session.tsx";
import { BackupTable } from "./backup-table.tsx";
import { Schedule } from "./schedule.tsx";

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
