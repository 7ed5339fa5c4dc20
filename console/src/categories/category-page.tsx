import { useState } from "preact/hooks";
import { ApiError } from "../api/call.ts";
import { useFetch } from "../api/hooks.ts";
import type { Category } from "../api/responses.ts";
import { History } from "../audit/history.tsx";
import { Button } from "../components/button.tsx";
import { AsyncContent, EmptyState, Page } from "../components/page.tsx";
import { useIsAdmin } from "../session.tsx";
import { CategoryPets } from "./category-pets.tsx";
import { CreateCategory } from "./create-category.tsx";
import { RemoveCategory } from "./remove-category.tsx";
import { RenameCategory } from "./rename-category.tsx";

const REFRESH_MS = 5_000;
const dialogs = { rename: RenameCategory, remove: RemoveCategory };

/** A category, its pets and its changes. One that does not exist has pets all the same if they name it. */
export function CategoryPage({ id }: { id: string }) {
  const fetched = useFetch<Category>(`/categories/${encodeURIComponent(id)}`, REFRESH_MS);
  const { value: category, etag, error } = fetched;
  const [open, setOpen] = useState<keyof typeof dialogs>();
  const isAdmin = useIsAdmin();
  if (error instanceof ApiError && error.status === 404) {
    return <UnnamedCategory id={id} onCreated={fetched.reload} />;
  }
  const OpenDialog = open === undefined ? undefined : dialogs[open];
  return (
    <Page
      title={category?.name ?? "Category"}
      description={
        <>
          <a href="#/categories">Categories</a> / <code>{id}</code>
        </>
      }
      actions={
        isAdmin &&
        category !== undefined && (
          <>
            <Button onClick={() => setOpen("rename")}>Rename</Button>
            <Button kind="danger" onClick={() => setOpen("remove")}>
              Remove
            </Button>
          </>
        )
      }
    >
      <AsyncContent fetched={fetched} lines={6}>
        {() => (
          <>
            <CategoryPets id={id} />
            {/* Fetched again when the category changes. */}
            <History key={etag} kind="category" id={id} />
          </>
        )}
      </AsyncContent>
      {category !== undefined && OpenDialog !== undefined && (
        <OpenDialog of={{ value: category, etag }} onClose={() => setOpen(undefined)} onDone={fetched.reload} />
      )}
    </Page>
  );
}

function UnnamedCategory({ id, onCreated }: { id: string; onCreated: () => void }) {
  const [isCreating, setCreating] = useState(false);
  const isAdmin = useIsAdmin();
  const isInteger = /^-?\d+$/.test(id);
  return (
    <Page
      title={`Category ${id}`}
      description={
        <>
          <a href="#/categories">Categories</a> / <code>{id}</code>
        </>
      }
    >
      <div class="content">
        <EmptyState icon="categories" title="No category has this id">
          {isInteger && <p>Pets may have it all the same. Create the category to give it a name.</p>}
          {isInteger && isAdmin && <Button onClick={() => setCreating(true)}>Create category</Button>}
        </EmptyState>
        {isInteger && <CategoryPets id={id} />}
        <History kind="category" id={id} />
      </div>
      {isCreating && <CreateCategory id={id} onClose={() => setCreating(false)} onDone={onCreated} />}
    </Page>
  );
}
