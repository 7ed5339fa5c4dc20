import type { Keys } from "../api/answers.ts";
import type { Loaded } from "../api/loaded.ts";
import { Moment } from "../parts/moment.tsx";
import { Panel } from "../parts/page.tsx";
import { Show } from "../parts/show.tsx";
import { toKey } from "../route.ts";
import { inFull } from "../words/number.ts";

/** Who is banned now, and until when. */
export function BannedKeys({ loaded }: { loaded: Loaded<Keys> }) {
  return (
    <Panel title="Banned now" aside={<a href="#/keys?state=banned">All banned keys</a>}>
      <Show loaded={loaded} lines={3}>
        {({ keys, total }) =>
          keys.length === 0 ? (
            <p class="quiet">Nobody. A key is banned when it goes on calling after being refused many times.</p>
          ) : (
            <ul class="rows">
              {keys.map(({ id, name, usage }) => (
                <li key={id}>
                  <a href={toKey(id)}>{name}</a>
                  <span class="faint">
                    until <Moment at={usage?.bannedUntil ?? null} />
                  </span>
                </li>
              ))}
              {total > keys.length && <li class="faint">and {inFull(total - keys.length)} more</li>}
            </ul>
          )
        }
      </Show>
    </Panel>
  );
}
