import { useId, useState } from "preact/hooks";
import { ApiError, call, type Tagged, withQuery } from "../api/call.ts";
import { REFRESH_MS, useAction, useConditionalChange, useFetch } from "../api/hooks.ts";
import type { Categories, Category, Int64, Pets } from "../api/responses.ts";
import { Button } from "../components/button.tsx";
import { Dialog } from "../components/dialog.tsx";
import { RemoveDialog } from "../components/dialogs.tsx";
import { type Filter, Filters } from "../components/filters.tsx";
import { Form, TextField } from "../components/form.tsx";
import { AsyncContent, EmptyState, Page, Panel } from "../components/page.tsx";
import { PAGE_SIZE, Pager, paginationIn, TableHead } from "../components/table.tsx";
import { categoryHref, listHref, petHref, replaceQuery } from "../route.ts";
import { useIsAdmin } from "../session.tsx";
import { ChangesByOperators } from "./audit.tsx";

function CategoryTable({ categories }: { categories: Category[] }) {
  return (
    <table class="cards">
      <TableHead columns={[{ title: "Id", isNumeric: true }, "Name", "Pets"]} />
      <tbody>
        {categories.map(({ id, name }) => (
          <tr key={id}>
            <td data-label="Id" class="number narrow">
              {id}
            </td>
            <th scope="row">
              <a href={categoryHref(id)}>{name}</a>
            </th>
            <td data-label="Pets">
              <a href={listHref("pets", { categoryId: String(id) })} aria-label={`Show pets of ${name}`}>
                Show pets
              </a>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** `id`: that of a category that pets have and that does not exist; a new one if it is left out. */
type CreateCategoryProps = { id?: string; onClose: () => void; onDone: () => void };

function CreateCategory({ id, onClose, onDone }: CreateCategoryProps) {
  const [name, setName] = useState("");
  const action = useAction();
  const create = async () => {
    if (id === undefined) await call<Category>("POST", "/categories", { name });
    else await createWithId(id, name);
    onDone();
    onClose();
  };
  return (
    <Dialog title={id === undefined ? "Create category" : `Create category ${id}`} onClose={onClose}>
      <Form action={action} submitLabel="Create category" onSubmit={create}>
        <TextField label="Name" name="name" value={name} onInput={setName} hint="No two names differ only in case." />
      </Form>
    </Dialog>
  );
}

/** @throws Error when somebody else has created the category meanwhile: PUT would rename it */
async function createWithId(id: string, name: string): Promise<void> {
  const path = `/categories/${id}`;
  const existing = await call<Category>("GET", path).catch((error: unknown) => {
    if (!(error instanceof ApiError && error.status === 404)) throw error;
  });
  if (existing) throw new Error(`Somebody else has created this category meanwhile. Its name is ${existing.name}.`);
  await call<Category>("PUT", path, { name });
}

const categoryFilters: Filter[] = [{ kind: "text", name: "name", label: "Name", placeholder: "Whole name" }];

/** The list of categories, with a search by name that the address keeps. */
export function CategoriesPage({ parameters }: { parameters: URLSearchParams }) {
  const name = parameters.get("name") ?? "";
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
      <Filters page="categories" of={categoryFilters} parameters={parameters} />
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
              <Button onClick={() => replaceQuery("categories", {})}>Clear filters</Button>
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

/** The props of each dialog that changes a category. */
type CategoryDialogProps = { of: Tagged<Category>; onClose: () => void; onDone: () => Promise<void> };

/** The id of a category, with the first categories as suggestions. */
export function CategoryField({ value, onInput }: { value: string; onInput: (value: string) => void }) {
  const list = useId();
  const { value: page } = useFetch<Categories>("/categories?limit=100");
  return (
    <>
      <TextField
        label="Category id"
        name="categoryId"
        inputMode="numeric"
        pattern="-?(0|[1-9][0-9]{0,18})"
        list={list}
        value={value}
        onInput={onInput}
        hint="A 64-bit integer."
      />
      <datalist id={list}>
        {page?.categories.map(({ id, name }) => (
          <option key={id} value={String(id)} label={name} />
        ))}
      </datalist>
    </>
  );
}

/** The names of those of the categories that exist, by id. */
type CategoryNames = ReadonlyMap<string, string>;

/** Fetches the names of at most 100 categories, and of at least one. */
export function useCategoryNames(ids: Int64[]): CategoryNames {
  const distinct = [...new Set(ids.map(String))].sort();
  const { value } = useFetch<Categories>(withQuery("/categories", { ids: distinct.join(",") }));
  return new Map(value?.categories.map(({ id, name }) => [String(id), name]));
}

/** A link to a category, by its name and id, or by its id alone: pets may name a category that does not exist. */
export function CategoryLink({ id, names }: { id: Int64; names: CategoryNames }) {
  const name = names.get(String(id));
  return name === undefined ? (
    <a href={categoryHref(id)}>{id}</a>
  ) : (
    <>
      <a href={categoryHref(id)}>{name}</a> <span class="faint">{id}</span>
    </>
  );
}

/** The first pets of a category. */
function CategoryPets({ id }: { id: string }) {
  const fetched = useFetch<Pets>(withQuery("/pets", { categoryId: id, limit: 5 }));
  return (
    <Panel title="Pets" aside={<a href={listHref("pets", { categoryId: id })}>View all</a>}>
      <AsyncContent fetched={fetched} lines={3}>
        {({ pets }) =>
          pets.length === 0 ? (
            <p class="quiet">No pet has this category.</p>
          ) : (
            <ul class="rows">
              {pets.map((pet) => (
                <li key={pet.id}>
                  <a href={petHref(pet.id)}>{pet.name}</a>
                  <span class="faint">{pet.status}</span>
                </li>
              ))}
            </ul>
          )
        }
      </AsyncContent>
    </Panel>
  );
}

/** The state of a category that somebody else has changed while a dialog was open. */
function NewerCategory({ category: { name } }: { category: Category }) {
  return (
    <p class="note">
      Its name is now <strong>{name}</strong>.
    </p>
  );
}

function RemoveCategory({ of: category, onClose }: CategoryDialogProps) {
  const pets = listHref("pets", { categoryId: String(category.value.id) });
  return (
    <RemoveDialog of={category} list="categories" newer={(seen) => <NewerCategory category={seen} />} onClose={onClose}>
      <p>
        Only a category without pets can be removed: see <a href={pets}>the pets of this category</a>.
      </p>
    </RemoveDialog>
  );
}

function RenameCategory({ of: category, onClose, onDone }: CategoryDialogProps) {
  const [name, setName] = useState(category.value.name);
  const action = useAction();
  const change = useConditionalChange<Category>(`/categories/${category.value.id}`, category);
  const rename = async () => {
    await change.send("PUT", { name });
    await onDone();
    onClose();
  };
  return (
    <Dialog title={`Rename ${category.value.name}`} onClose={onClose}>
      <Form action={action} submitLabel="Rename category" onSubmit={rename}>
        {change.isNewer && <NewerCategory category={change.seen} />}
        <TextField label="Name" name="name" value={name} onInput={setName} />
      </Form>
    </Dialog>
  );
}

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
            <ChangesByOperators key={etag} kind="category" id={id} />
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
        <ChangesByOperators kind="category" id={id} />
      </div>
      {isCreating && <CreateCategory id={id} onClose={() => setCreating(false)} onDone={onCreated} />}
    </Page>
  );
}
