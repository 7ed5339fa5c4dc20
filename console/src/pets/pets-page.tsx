import { useState } from "preact/hooks";
import { withQuery } from "../api/call.ts";
import { useFetch } from "../api/fetched.ts";
import { usePagination } from "../api/pagination.ts";
import type { Pets } from "../api/responses.ts";
import { AsyncContent } from "../components/async-content.tsx";
import { Button } from "../components/button.tsx";
import { EmptyState } from "../components/empty-state.tsx";
import { Page } from "../components/page.tsx";
import { Pager } from "../components/pager.tsx";
import { SegmentedControl } from "../components/segmented-control.tsx";
import { replaceQuery } from "../route.ts";
import { useIsAdmin } from "../session/current-operator.ts";
import { CreatePet } from "./create-pet.tsx";
import { ExportPets } from "./export-pets.tsx";
import { ImportPets } from "./import-pets.tsx";
import { PetTable } from "./pet-table.tsx";

const PAGE_SIZE = 50;
const filters = [
  ["", "All"],
  ["available", "Available"],
  ["pending", "Pending"],
  ["sold", "Sold"],
] as const;
type Filter = (typeof filters)[number][0];

const dialogs = { create: CreatePet, import: ImportPets, export: ExportPets };

/** The list of pets, with a filter by status that the address keeps. */
export function PetsPage({ parameters }: { parameters: URLSearchParams }) {
  const [status] = filters.find(([value]) => value === parameters.get("status")) ?? filters[0];
  const setStatus = (chosen: Filter) => replaceQuery("pets", { status: chosen });
  const [open, setOpen] = useState<keyof typeof dialogs>();
  const isAdmin = useIsAdmin();

  const pagination = usePagination<number>(status);
  const fetched = useFetch<Pets>(withQuery("/pets", { limit: PAGE_SIZE, after: pagination.cursor, status }));
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
      <div class="filters">
        <SegmentedControl label="Status" options={filters} value={status} onChange={setStatus} />
      </div>
      <AsyncContent fetched={fetched} lines={8}>
        {({ pets, next }) =>
          pets.length > 0 ? (
            <>
              <PetTable pets={pets} />
              <Pager pagination={pagination} next={next} pageSize={PAGE_SIZE} count={pets.length} noun="pet" />
            </>
          ) : (
            <EmptyState icon="pets" title={status === "" ? "No pets yet" : `No ${status} pets`}>
              {status === "" ? (
                <p>Add a pet, import a file, or create pets through the API.</p>
              ) : (
                <Button onClick={() => setStatus("")}>Show all pets</Button>
              )}
            </EmptyState>
          )
        }
      </AsyncContent>
      {OpenDialog !== undefined && (
        <OpenDialog status={status} onClose={() => setOpen(undefined)} onDone={fetched.reload} />
      )}
    </Page>
  );
}
