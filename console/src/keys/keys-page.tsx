import { useState } from "preact/hooks";
import { withQuery } from "../api/call.ts";
import { useFetch } from "../api/hooks.ts";
import type { Keys } from "../api/responses.ts";
import { Button } from "../components/button.tsx";
import { AsyncContent, EmptyState, Page } from "../components/page.tsx";
import { Pager, paginationIn } from "../components/table.tsx";
import { changeQuery, replaceQuery } from "../route.ts";
import { useIsAdmin } from "../session.tsx";
import { CreateKey } from "./create-key.tsx";
import { type Filters, KeyFilters } from "./key-filters.tsx";
import { KeyTable } from "./key-table.tsx";

const PAGE_SIZE = 50;
const REFRESH_MS = 5_000;

/** The list of keys, with search and filters that the address keeps. */
export function KeysPage({ parameters }: { parameters: URLSearchParams }) {
  const given = (name: string) => parameters.get(name) ?? "";
  const filters: Filters = {
    ...{ search: given("search"), owner: given("owner"), plan: given("plan"), state: given("state") },
    ...{ rehearsing: given("rehearsing"), sort: given("sort") },
  };
  const [isCreating, setCreating] = useState(false);
  const isAdmin = useIsAdmin();

  const pagination = paginationIn("keys", parameters);
  const fetched = useFetch<Keys>(
    withQuery("/keys", { limit: PAGE_SIZE, after: pagination.cursor, ...filters }),
    REFRESH_MS,
  );
  const isFiltered = parameters.size > 0;
  const create = (
    <Button icon="add" kind="primary" onClick={() => setCreating(true)}>
      Create key
    </Button>
  );
  return (
    <Page title="Keys" actions={isAdmin && create}>
      <KeyFilters filters={filters} onFilter={(changed) => changeQuery("keys", changed)} />
      <AsyncContent fetched={fetched} lines={8}>
        {({ keys, next, total, totalIsExact }) =>
          keys.length > 0 ? (
            <>
              <KeyTable keys={keys} isGrouped={filters.sort === "owner"} />
              <Pager
                pagination={pagination}
                next={next}
                pageSize={PAGE_SIZE}
                count={keys.length}
                total={total}
                isTotalExact={totalIsExact}
                noun="key"
              />
            </>
          ) : isFiltered ? (
            <EmptyState icon="search" title="No matching keys">
              <Button onClick={() => replaceQuery("keys", { sort: filters.sort })}>Clear filters</Button>
            </EmptyState>
          ) : (
            <EmptyState icon="keys" title="No keys yet">
              <p>Each client of the API needs a key.</p>
              {isAdmin && create}
            </EmptyState>
          )
        }
      </AsyncContent>
      {isCreating && <CreateKey onClose={() => setCreating(false)} onCreated={fetched.reload} />}
    </Page>
  );
}
