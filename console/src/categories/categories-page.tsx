import { useState } from "preact/hooks";
import { withQuery } from "../api/call.ts";
import { useFetch } from "../api/hooks.ts";
import type { Categories } from "../api/responses.ts";
import { Button } from "../components/button.tsx";
import { TextFilter } from "../components/filters.tsx";
import { AsyncContent, EmptyState, Page } from "../components/page.tsx";
import { Pager, paginationIn } from "../components/table.tsx";
import { replaceQuery } from "../route.ts";
import { useIsAdmin } from "../session.tsx";
import { CategoryTable } from "./category-table.tsx";
import { CreateCategory } from "./create-category.tsx";

const PAGE_SIZE = 50;

/** The list of categories, with a search by name that the address keeps. */
export function CategoriesPage({ parameters }: { parameters: URLSearchParams }) {
  const name = parameters.get("name") ?? "";
  const search = (text: string) => replaceQuery("categories", { name: text });
  const [isCreating, setCreating] = useState(false);
  const isAdmin = useIsAdmin();

  const isFiltered = parameters.size > 0;
  const pagination = paginationIn("categories", parameters);
  const fetched = useFetch<Categories>(withQuery("/categories", { limit: PAGE_SIZE, after: pagination.cursor, name }));
  const create = (
    <Button icon="add" kind="primary" onClick={() => setCreating(true)}>
      Create category
    </Button>
  );
  return (
    <Page title="Categories" actions={isAdmin && create}>
      <search class="filters">
        <TextFilter label="Name" placeholder="Whole name" value={name} onChange={search} />
      </search>
      <AsyncContent fetched={fetched} lines={8}>
        {({ categories, next }) =>
          categories.length > 0 ? (
            <>
              <CategoryTable categories={categories} />
              <Pager
                pagination={pagination}
                next={next}
                pageSize={PAGE_SIZE}
                count={categories.length}
                noun="category"
                plural="categories"
              />
            </>
          ) : isFiltered ? (
            <EmptyState icon="search" title="No matching categories">
              <Button onClick={() => search("")}>Show all categories</Button>
            </EmptyState>
          ) : (
            <EmptyState icon="categories" title="No categories yet">
              <p>A category gives a name to the category id of pets.</p>
              {isAdmin && create}
            </EmptyState>
          )
        }
      </AsyncContent>
      {isCreating && <CreateCategory onClose={() => setCreating(false)} onDone={fetched.reload} />}
    </Page>
  );
}
