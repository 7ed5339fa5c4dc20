import { useState } from "preact/hooks";
import { withQuery } from "../api/call.ts";
import { useFetch } from "../api/hooks.ts";
import type { Pet, Pets } from "../api/responses.ts";
import { Button } from "../components/button.tsx";
import { AsyncContent, EmptyState, Page } from "../components/page.tsx";
import { Pager, paginationIn } from "../components/table.tsx";
import { changeQuery, petHref, replaceQuery } from "../route.ts";
import { useIsAdmin } from "../session.tsx";
import { CreatePet } from "./create-pet.tsx";
import { ExportPets } from "./export-pets.tsx";
import { ImportPets } from "./import-pets.tsx";
import { type Filters, PetFilters, statusOf } from "./pet-filters.tsx";
import { PetTable } from "./pet-table.tsx";

const PAGE_SIZE = 50;
const dialogs = { create: CreatePet, import: ImportPets, export: ExportPets };

/** The list of pets, with filters that the address keeps. */
export function PetsPage({ parameters }: { parameters: URLSearchParams }) {
  const given = (name: string) => parameters.get(name) ?? "";
  const filters: Filters = {
    name: given("name"),
    id: given("id"),
    categoryId: given("categoryId"),
    status: statusOf(given("status")),
  };
  const [open, setOpen] = useState<keyof typeof dialogs>();
  const [added, setAdded] = useState<Pet>();
  const isAdmin = useIsAdmin();

  const { id, ...rest } = filters;
  const pagination = paginationIn("pets", parameters);
  const fetched = useFetch<Pets>(withQuery("/pets", { limit: PAGE_SIZE, after: pagination.cursor, ...rest, ids: id }));
  const isFiltered = parameters.size > 0;
  const OpenDialog = open === undefined ? undefined : dialogs[open];
  return (
    <Page
      title="Pets"
      actions={
        <>
          <Button icon="download" onClick={() => setOpen("export")}>
            Export
          </Button>
          {isAdmin && (
            <>
              <Button icon="upload" onClick={() => setOpen("import")}>
                Import
              </Button>
              <Button icon="add" kind="primary" onClick={() => setOpen("create")}>
                Add pet
              </Button>
            </>
          )}
        </>
      }
    >
      {added !== undefined && (
        <p class="notice" role="status">
          <a href={petHref(added.id)}>
            {added.name}, pet {added.id},
          </a>{" "}
          was added.
        </p>
      )}
      <PetFilters filters={filters} onFilter={(changed) => changeQuery("pets", changed)} />
      <AsyncContent fetched={fetched} lines={8}>
        {({ pets, next }) =>
          pets.length > 0 ? (
            <>
              <PetTable pets={pets} />
              <Pager pagination={pagination} next={next} pageSize={PAGE_SIZE} count={pets.length} noun="pet" />
            </>
          ) : (
            <EmptyState icon={isFiltered ? "search" : "pets"} title={isFiltered ? "No matching pets" : "No pets yet"}>
              {isFiltered ? (
                <Button onClick={() => replaceQuery("pets", {})}>Show all pets</Button>
              ) : (
                <p>Add a pet, import a file, or create pets through the API.</p>
              )}
            </EmptyState>
          )
        }
      </AsyncContent>
      {OpenDialog !== undefined && (
        <OpenDialog
          status={filters.status}
          onClose={() => setOpen(undefined)}
          onDone={(pet) => {
            setAdded(pet);
            fetched.reload();
          }}
        />
      )}
    </Page>
  );
}
