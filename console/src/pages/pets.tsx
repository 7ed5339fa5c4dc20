import { useState } from "preact/hooks";
import { call, withQuery } from "../api/call.ts";
import { useAction, useFetch } from "../api/hooks.ts";
import type { Pet, Pets } from "../api/responses.ts";
import { Button } from "../components/button.tsx";
import { Dialog } from "../components/dialog.tsx";
import { ExportDialog } from "../components/dialogs.tsx";
import { type Filter, Filters, idFilter } from "../components/filters.tsx";
import { Form, SelectField, TextField } from "../components/form.tsx";
import { AsyncContent, EmptyState, Page } from "../components/page.tsx";
import { PAGE_SIZE, Pager, paginationIn, TableHead } from "../components/table.tsx";
import { Badge, type Tone } from "../components/values.tsx";
import { petHref, replaceQuery } from "../route.ts";
import { useIsAdmin } from "../session.tsx";
import { CategoryField, CategoryLink, useCategoryNames } from "./categories.tsx";
import { jsonOf, type PetInput } from "./pet-input.ts";
import { type CatalogueDialogProps, ImportPets } from "./pets-import.tsx";

const petStatuses = [
  ["available", "Available"],
  ["pending", "Pending"],
  ["sold", "Sold"],
] as const satisfies readonly (readonly [Pet["status"], string])[];

export const toneOfPet: Record<Pet["status"], Tone> = { available: "good", pending: "warn", sold: "quiet" };

type PetFieldsProps = {
  input: PetInput;
  /** The statuses to choose from; all if they are left out. */
  allowed?: readonly Pet["status"][];
  onInput: (changed: Partial<PetInput>) => void;
};

export function PetFields({ input, allowed, onInput }: PetFieldsProps) {
  return (
    <>
      <TextField label="Name" name="name" value={input.name} onInput={(name) => onInput({ name })} />
      <CategoryField value={input.categoryId} onInput={(categoryId) => onInput({ categoryId })} />
      <SelectField<Pet["status"]>
        label="Status"
        value={input.status}
        options={petStatuses.filter(([status]) => allowed === undefined || allowed.includes(status))}
        onChange={(status) => onInput({ status })}
      />
    </>
  );
}

function CreatePet({ onClose, onDone }: CatalogueDialogProps) {
  const [input, setInput] = useState<PetInput>({ name: "", categoryId: "", status: "available" });
  const action = useAction();
  const create = async () => {
    onDone(await call<Pet>("POST", "/pets", jsonOf(input)));
    onClose();
  };
  return (
    <Dialog title="Add pet" onClose={onClose}>
      <Form action={action} submitLabel="Add pet" onSubmit={create}>
        <PetFields input={input} onInput={(changed) => setInput({ ...input, ...changed })} />
      </Form>
    </Dialog>
  );
}

/** Downloads the pets, or those of the filtered status, as a file. */
function ExportPets({ status, onClose }: CatalogueDialogProps) {
  const title = status === "" ? "Export all pets" : `Export ${status} pets`;
  return <ExportDialog title={title} path="/pets/export" parameters={{ status }} onClose={onClose} />;
}

/** The filter of names that begin so: a backslash that is part of them does not take its meaning from the `*`. */
function beginningOf(name: string): string {
  return name === "" ? "" : `${name.replace(/\\+$/, "$&$&")}*`;
}

/** The status of this name, or "" for any other text. */
function statusOf(text = ""): Pet["status"] | "" {
  return petStatuses.find(([value]) => value === text)?.[0] ?? "";
}

const petFilters: Filter[] = [
  { kind: "text", name: "name", label: "Name", placeholder: "Beginning of the name" },
  idFilter("id", "Id", "pet"),
  idFilter("categoryId", "Category", "category"),
  { kind: "choice", name: "status", label: "Status", none: "All statuses", options: petStatuses },
];

/** A page of at least one pet. */
function PetTable({ pets }: { pets: Pet[] }) {
  const names = useCategoryNames(pets.map(({ categoryId }) => categoryId));
  return (
    <table class="cards">
      <TableHead columns={[{ title: "Id", isNumeric: true }, "Name", "Category", "Status"]} />
      <tbody>
        {pets.map(({ id, name, categoryId, status }) => (
          <tr key={id}>
            <td data-label="Id" class="number narrow">
              {id}
            </td>
            <th scope="row">
              <a href={petHref(id)}>{name}</a>
            </th>
            <td data-label="Category" class="text">
              <CategoryLink id={categoryId} names={names} />
            </td>
            <td class="status">
              <Badge tone={toneOfPet[status]}>{status}</Badge>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const dialogs = { create: CreatePet, import: ImportPets, export: ExportPets };

/** The list of pets, with filters that the address keeps. */
export function PetsPage({ parameters }: { parameters: URLSearchParams }) {
  const [open, setOpen] = useState<keyof typeof dialogs>();
  const [added, setAdded] = useState<Pet>();
  const isAdmin = useIsAdmin();

  const { after: _, id, name = "", status: given, categoryId } = Object.fromEntries(parameters);
  const status = statusOf(given);
  const pagination = paginationIn("pets", parameters);
  const fetched = useFetch<Pets>(
    withQuery("/pets", {
      ...{ limit: PAGE_SIZE, after: pagination.cursor, categoryId, status },
      ...{ name: beginningOf(name), ids: id },
    }),
  );
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
      <Filters page="pets" of={petFilters} parameters={parameters} />
      <AsyncContent fetched={fetched} lines={8}>
        {({ pets, next, total }) =>
          pets.length > 0 || next !== null ? (
            <>
              {pets.length > 0 && <PetTable pets={pets} />}
              <Pager
                pagination={pagination}
                next={next}
                pageSize={PAGE_SIZE}
                count={pets.length}
                total={total ?? undefined}
                isCutShort={total === null && name !== ""}
                noun="pet"
              />
            </>
          ) : (
            <EmptyState icon={isFiltered ? "search" : "pets"} title={isFiltered ? "No matching pets" : "No pets yet"}>
              {isFiltered ? (
                <Button onClick={() => replaceQuery("pets", {})}>Clear filters</Button>
              ) : (
                <p>Add a pet, import a file, or create pets through the API.</p>
              )}
            </EmptyState>
          )
        }
      </AsyncContent>
      {OpenDialog !== undefined && (
        <OpenDialog
          status={status}
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
