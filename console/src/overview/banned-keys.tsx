import type { Fetched } from "../api/hooks.ts";
import type { Keys } from "../api/responses.ts";
import { AsyncContent, Panel } from "../components/page.tsx";
import { Timestamp } from "../components/values.tsx";
import { formatCount } from "../format.ts";
import { keyHref } from "../route.ts";

/** The banned keys, and when their bans end. */
export function BannedKeys({ fetched }: { fetched: Fetched<Keys> }) {
  return (
    <Panel title="Banned keys" aside={<a href="#/keys?state=banned">View all</a>}>
      <AsyncContent fetched={fetched} lines={3}>
        {({ keys, total }) =>
          keys.length === 0 ? (
            <p class="quiet">None. A key that keeps sending requests after 429 responses is banned.</p>
          ) : (
            <ul class="rows">
              {keys.map(({ id, name, usage }) => (
                <li key={id}>
                  <a href={keyHref(id)}>{name}</a>
                  <span class="faint">
                    until <Timestamp at={usage?.bannedUntil ?? null} />
                  </span>
                </li>
              ))}
              {total > keys.length && <li class="faint">and {formatCount(total - keys.length)} more</li>}
            </ul>
          )
        }
      </AsyncContent>
    </Panel>
  );
}
