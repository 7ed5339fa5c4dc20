import type { Backups } from "../api/responses.ts";
import { DescriptionItem, DescriptionList, ErrorMessage, Panel } from "../components/page.tsx";
import { Timestamp } from "../components/values.tsx";
import { formatDuration } from "../format.ts";
import { jobLabel, placeLabels } from "./labels.ts";

/** When and where backups are made, what is under way, and what went wrong. */
export function Schedule({ state }: { state: Backups }) {
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
