import { useEffect, useState } from "preact/hooks";
import type { Pets } from "../api/answers.ts";
import { withQuery } from "../api/call.ts";
import { useLoaded } from "../api/loaded.ts";
import { useTrail } from "../api/trail.ts";
import { Button } from "../parts/button.tsx";
import { Choice } from "../parts/choice.tsx";
import { Empty } from "../parts/empty.tsx";
import { Page } from "../parts/page.tsx";
import { Pages } from "../parts/pages.tsx";
import { Show } from "../parts/show.tsx";
import { keepInAddress } from "../route.ts";
import { useMayChange } from "../session/operator.ts";
import { CreatePet } from "./create-pet.tsx";
import { ExportPets } from "./export-pets.tsx";
import { ImportPets } from "./import-pets.tsx";
import { PetTable } from "./pet-table.tsx";

const SIZE = 50;
const filters = [
  ["", "All"],
  ["available", "Available"],
  ["pending", "Pending"],
  ["sold", "Sold"],
] as const;
type Filter = (typeof filters)[number][0];

const dialogs = { create: CreatePet, import: ImportPets, export: ExportPets };

/** The catalogue: page by page, by status. */
export function PetsPage({ parameters }: { parameters: URLSearchParams }) {
  const given = filters.find(([value]) => value === parameters.get("status"));
  const [status, setStatus] = useState<Filter>(given?.[0] ?? "");
  const [open, setOpen] = useState<keyof typeof dialogs>();
  const mayChange = useMayChange();
  useEffect(() => keepInAddress("pets", { status }), [status]);

  const trail = useTrail<number>(status);
  const loaded = useLoaded<Pets>(withQuery("/pets", { limit: SIZE, after: trail.cursor, status }));
  const Open = open === undefined ? undefined : dialogs[open];
  return (
    <Page
      title="Pets"
      actions={
        <>
          <Button icon="outof" onClick={() => setOpen("export")}>
            Export
          </Button>
          {mayChange && (
            <>
              <Button icon="into" onClick={() => setOpen("import")}>
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
        <Choice label="Status" options={filters} chosen={status} onChoose={setStatus} />
      </div>
      <Show loaded={loaded} lines={8}>
        {({ pets, next }) =>
          pets.length > 0 ? (
            <>
              <PetTable pets={pets} />
              <Pages trail={trail} next={next} size={SIZE} count={pets.length} noun="pet" />
            </>
          ) : (
            <Empty icon="pets" title={status === "" ? "No pets yet" : `No pet is ${status}`}>
              {status === "" ? (
                <p>Add one here, import a file, or let a client create them.</p>
              ) : (
                <Button onClick={() => setStatus("")}>Show all pets</Button>
              )}
            </Empty>
          )
        }
      </Show>
      {Open !== undefined && <Open status={status} onClose={() => setOpen(undefined)} onDone={loaded.reload} />}
    </Page>
  );
}
