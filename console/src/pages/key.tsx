import { useMemo, useState } from "preact/hooks";
import { scheduleText } from "../../../src/domain/keys/simulation.ts";
import { ApiError, withQuery } from "../api/call.ts";
import { useFetch } from "../api/hooks.ts";
import type { Key, RequestList, Usage, Window } from "../api/responses.ts";
import { AsyncContent, DescriptionItem, DescriptionList, EmptyState, Page, Panel } from "../components/page.tsx";
import { Meter, Timestamp } from "../components/values.tsx";
import { formatCount, pluralize } from "../format.ts";
import { listHref } from "../route.ts";
import { useIsAdmin } from "../session.tsx";
import { queryOf, type TimeRange } from "../time-range.ts";
import { Operations, statusSeries, TimeRangePicker, UsageChart } from "../usage.tsx";
import { ChangesByOperators } from "./audit.tsx";
import { KeyActions } from "./key-dialogs.tsx";
import { OwnerLink, planName } from "./key-labels.tsx";
import { StateBadge } from "./keys.tsx";
import { RequestTable } from "./requests.tsx";

function KeyDetails({ of: key }: { of: Key }) {
  return (
    <Panel title="Details">
      <DescriptionList>
        {key.owner !== null && (
          <DescriptionItem term="Owner">
            <OwnerLink of={key.owner} />
          </DescriptionItem>
        )}
        {key.note !== null && <DescriptionItem term="Note">{key.note}</DescriptionItem>}
        <DescriptionItem term="Plan">{planName(key.plan)}</DescriptionItem>
        <DescriptionItem term="Scopes">
          <code>{key.scopes.join(", ")}</code>
        </DescriptionItem>
        <DescriptionItem term="Secret ends in">
          <code>{key.lastFour}</code>
        </DescriptionItem>
        {key.earlierSecrets.map(({ lastFour, expiresAt }) => (
          <DescriptionItem key={lastFour} term="Old secret">
            ends in <code>{lastFour}</code>, works until <Timestamp at={expiresAt} />
          </DescriptionItem>
        ))}
        {key.simulation !== null && (
          <DescriptionItem term="Rehearsal">
            <code>{key.simulation.answer}</code> for {scheduleText(key.simulation)},{" "}
            {pluralize(key.simulation.requests, "request")} since <Timestamp at={key.simulation.startedAt} />
          </DescriptionItem>
        )}
        <DescriptionItem term="Created">
          <Timestamp at={key.createdAt} />
        </DescriptionItem>
        <DescriptionItem term="Last used">
          <Timestamp at={key.lastUsedAt} format="relative" />
        </DescriptionItem>
        <DescriptionItem term="Expires">
          <Timestamp at={key.expiresAt} />
        </DescriptionItem>
        {key.disabledAt !== null && (
          <DescriptionItem term="Disabled">
            <Timestamp at={key.disabledAt} />
          </DescriptionItem>
        )}
        {key.revokedAt !== null && (
          <DescriptionItem term="Revoked">
            <Timestamp at={key.revokedAt} />
          </DescriptionItem>
        )}
      </DescriptionList>
    </Panel>
  );
}

/** The limit state of a key: both windows, strikes and ban. */
function KeyLimits({ of: { usage } }: { of: Key }) {
  if (usage === null) {
    return (
      <Panel title="Limits">
        <p class="quiet">Unavailable: Redis, which counts requests, is not responding.</p>
      </Panel>
    );
  }
  return (
    <Panel title="Limits">
      <LimitWindow name="Per minute" window={usage.minute} />
      <LimitWindow name="Per day" window={usage.day} />
      <p class="quiet">
        {usage.bannedUntil === null ? (
          `${pluralize(usage.strikes, "strike")}. A key that keeps sending requests after 429 responses is banned.`
        ) : (
          <>
            Banned until <Timestamp at={usage.bannedUntil} />: it kept sending requests after 429 responses.
          </>
        )}
      </p>
    </Panel>
  );
}

/** Whether the window still counts. If not, the next request opens a new one. */
function isOpen({ resetAt }: Window): boolean {
  return resetAt !== null && Date.parse(resetAt) > Date.now();
}

function LimitWindow({ name, window }: { name: string; window: Window }) {
  return (
    <div class="limit-window">
      <span>{name}</span>
      <span>
        <strong>{formatCount(window.used)}</strong> of {formatCount(window.limit)}
      </span>
      <Meter label={`Requests ${name.toLowerCase()}`} value={window.used} max={window.limit} tone="load" />
      <span class="faint">{formatCount(window.remaining)} remaining</span>
      <span class="faint">
        {isOpen(window) && (
          <>
            resets <Timestamp at={window.resetAt} format="relative" />
          </>
        )}
      </span>
    </div>
  );
}

const REQUESTS_REFRESH_MS = 10_000;

/** The last requests with a key. */
function KeyRequests({ id }: { id: string }) {
  const fetched = useFetch<RequestList>(withQuery("/requests", { keyId: id, limit: 5 }), REQUESTS_REFRESH_MS);
  return (
    <Panel title="Last requests" aside={<a href={listHref("requests", { key: id })}>View all</a>}>
      <AsyncContent fetched={fetched} lines={3}>
        {({ requests }) =>
          requests.length === 0 ? (
            <p class="quiet">The request history has none.</p>
          ) : (
            <RequestTable requests={requests} hasKeys={false} />
          )
        }
      </AsyncContent>
    </Panel>
  );
}

const REFRESH_MS = 3_000;

/** The requests of a key over a time range. */
function KeyUsage({ path }: { path: string }) {
  const [range, setRange] = useState<TimeRange>({ name: "hour" });
  const fetched = useFetch<Usage>(withQuery(`${path}/usage`, queryOf(range, Date.now())), REFRESH_MS);
  const points = useMemo(() => fetched.value?.points ?? [], [fetched.value]);
  const series = useMemo(() => statusSeries(points), [points]);
  const sum = (of: (point: (typeof points)[number]) => number) => points.reduce((total, point) => total + of(point), 0);
  return (
    <div class="columns wide">
      <Panel title="Usage" aside={<TimeRangePicker range={range} onChange={setRange} isPast />}>
        <AsyncContent fetched={fetched} lines={6}>
          {({ resolution }) =>
            sum(({ requests }) => requests) === 0 ? (
              <p class="quiet">No requests in this time.</p>
            ) : (
              <>
                <p class="quiet">
                  {formatCount(sum(({ requests }) => requests))} requests,{" "}
                  {formatCount(sum(({ byClass }) => byClass["429"]))} rate limited
                  {sum(({ simulated }) => simulated) > 0 &&
                    `, ${formatCount(sum(({ simulated }) => simulated))} simulated`}
                </p>
                <UsageChart label="Requests with this key" resolution={resolution} points={points} series={series} />
              </>
            )
          }
        </AsyncContent>
      </Panel>
      <Operations points={points} />
    </div>
  );
}

/** The limits, details, usage and audit log of a key, and its actions. */
export function KeyPage({ id }: { id: string }) {
  const path = `/keys/${encodeURIComponent(id)}`;
  const fetched = useFetch<Key>(path, REFRESH_MS);
  const isAdmin = useIsAdmin();
  const { value: key, error } = fetched;
  if (error instanceof ApiError && error.status === 404) {
    return (
      <Page title="Key">
        <EmptyState icon="keys" title="Key not found">
          <p>
            No key has the id <code>{id}</code>. See <a href="#/keys">all keys</a>.
          </p>
        </EmptyState>
      </Page>
    );
  }
  return (
    <Page
      title={key?.name ?? "Key"}
      description={
        <>
          <a href="#/keys">Keys</a> / <code>{id}</code> {key !== undefined && <StateBadge of={key} />}
        </>
      }
      actions={
        key !== undefined && isAdmin && <KeyActions of={{ value: key, etag: fetched.etag }} onDone={fetched.reload} />
      }
    >
      <AsyncContent fetched={fetched} lines={8}>
        {(current) => (
          <>
            <div class="columns">
              <KeyLimits of={current} />
              <KeyDetails of={current} />
            </div>
            <KeyUsage path={path} />
            <KeyRequests id={id} />
            {/* Fetched again when the key changes. */}
            <ChangesByOperators key={current.version} kind="key" id={id} />
          </>
        )}
      </AsyncContent>
    </Page>
  );
}
