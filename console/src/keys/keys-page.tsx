import { useEffect, useState } from "preact/hooks";
import type { Keys } from "../api/answers.ts";
import { withQuery } from "../api/call.ts";
import { useLoaded } from "../api/loaded.ts";
import { useTrail } from "../api/trail.ts";
import { Button } from "../parts/button.tsx";
import { Empty } from "../parts/empty.tsx";
import { Page } from "../parts/page.tsx";
import { Pages } from "../parts/pages.tsx";
import { Show } from "../parts/show.tsx";
import { keepInAddress } from "../route.ts";
import { useMayChange } from "../session/operator.ts";
import { CreateKey } from "./create-key.tsx";
import { KeyFilters } from "./key-filters.tsx";
import { KeyTable } from "./key-table.tsx";

const SIZE = 50;
const EVERY = 5_000;

/** All keys, found by name, id or last four characters, by plan and by state. */
export function KeysPage({ parameters }: { parameters: URLSearchParams }) {
  const given = (name: string) => parameters.get(name) ?? "";
  const [filters, setFilters] = useState({ search: given("search"), plan: given("plan"), state: given("state") });
  const [isCreating, setCreating] = useState(false);
  const mayChange = useMayChange();
  useEffect(() => keepInAddress("keys", filters), [filters]);

  const trail = useTrail<string>(JSON.stringify(filters));
  const loaded = useLoaded<Keys>(withQuery("/keys", { limit: SIZE, after: trail.cursor, ...filters }), EVERY);
  const isFiltered = Object.values(filters).some((value) => value !== "");
  const create = (
    <Button icon="add" kind="primary" onClick={() => setCreating(true)}>
      Create key
    </Button>
  );
  return (
    <Page title="Keys" actions={mayChange && create}>
      <KeyFilters filters={filters} onFilter={setFilters} />
      <Show loaded={loaded} lines={8}>
        {({ keys, next, total }) =>
          keys.length > 0 ? (
            <>
              <KeyTable keys={keys} />
              <Pages trail={trail} next={next} size={SIZE} count={keys.length} total={total} noun="key" />
            </>
          ) : isFiltered ? (
            <Empty icon="search" title="No key is like that">
              <Button onClick={() => setFilters({ search: "", plan: "", state: "" })}>Show all keys</Button>
            </Empty>
          ) : (
            <Empty icon="keys" title="No keys yet">
              <p>Whoever calls the interface needs a key of their own.</p>
              {mayChange && create}
            </Empty>
          )
        }
      </Show>
      {isCreating && <CreateKey onClose={() => setCreating(false)} onCreated={loaded.reload} />}
    </Page>
  );
}
