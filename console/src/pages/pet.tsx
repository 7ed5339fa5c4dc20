import { useState } from "preact/hooks";
import { petTransitions } from "../../../src/domain/transitions.ts";
import { ApiError, call, type Tagged } from "../api/call.ts";
import { REFRESH_MS, useAction, useConditionalChange, useFetch } from "../api/hooks.ts";
import type { Order, Pet } from "../api/responses.ts";
import { Button } from "../components/button.tsx";
import { Dialog } from "../components/dialog.tsx";
import { RemoveDialog } from "../components/dialogs.tsx";
import { Form } from "../components/form.tsx";
import { AsyncContent, DescriptionItem, DescriptionList, EmptyState, Page, Panel } from "../components/page.tsx";
import { usePagination } from "../components/table.tsx";
import { Badge } from "../components/values.tsx";
import { useIsAdmin } from "../session.tsx";
import { ChangesByOperators, History } from "./audit.tsx";
import { CategoryLink, useCategoryNames } from "./categories.tsx";
import { OrderList } from "./orders.tsx";
import { inputOf, jsonOf, type PetInput } from "./pet-input.ts";
import { PetFields, toneOfPet } from "./pets.tsx";

/** The state of a pet that somebody else has changed while a dialog was open. */
function NewerPet({ pet: { name, categoryId, status } }: { pet: Pet }) {
  return (
    <p class="note">
      The pet is now <strong>{name}</strong>, category {categoryId}, <strong>{status}</strong>.
    </p>
  );
}

/** The props of each dialog that changes a pet. */
type PetDialogProps = { of: Tagged<Pet>; onClose: () => void; onDone: () => Promise<void> };

/** Changes the fields that the operator edits. The others show what somebody else may have changed meanwhile. */
function EditPet({ of: pet, onClose, onDone }: PetDialogProps) {
  const [edited, setEdited] = useState<Partial<PetInput>>({});
  const action = useAction();
  const change = useConditionalChange<Pet>(`/pets/${pet.value.id}`, pet);
  const { seen } = change;
  const save = async () => {
    await change.send("PATCH", jsonOf(edited));
    await onDone();
    onClose();
  };
  return (
    <Dialog title={`Edit ${pet.value.name}`} onClose={onClose}>
      <Form action={action} submitLabel="Save" onSubmit={save}>
        {change.isNewer && <NewerPet pet={seen} />}
        <PetFields
          input={{ ...inputOf(seen), ...edited }}
          allowed={[seen.status, ...petTransitions[seen.status]]}
          onInput={(changed) => setEdited({ ...edited, ...changed })}
        />
      </Form>
    </Dialog>
  );
}

/** Orders an available pet, as for a customer who calls. */
function OrderPet({ of: pet, onClose, onDone }: PetDialogProps) {
  const { id, name } = pet.value;
  const action = useAction();
  const place = async () => {
    await call<Order>("POST", "/orders", { petId: id });
    await onDone();
    onClose();
  };
  return (
    <Dialog title={`Order ${name}?`} onClose={onClose}>
      <Form action={action} submitLabel="Place order" onSubmit={place}>
        <p>The pet becomes pending, and nobody else can order it until you deliver or cancel the order.</p>
      </Form>
    </Dialog>
  );
}

function PetDetails({ of: { id, name, categoryId, status } }: { of: Pet }) {
  const names = useCategoryNames([categoryId]);
  return (
    <Panel title="Details">
      <DescriptionList>
        <DescriptionItem term="Id">
          <code>{id}</code>
        </DescriptionItem>
        <DescriptionItem term="Name">{name}</DescriptionItem>
        <DescriptionItem term="Category">
          <CategoryLink id={categoryId} names={names} />
        </DescriptionItem>
        <DescriptionItem term="Status">
          <Badge tone={toneOfPet[status]}>{status}</Badge>
        </DescriptionItem>
      </DescriptionList>
    </Panel>
  );
}

function RemovePet({ of: pet, onClose }: PetDialogProps) {
  return (
    <RemoveDialog of={pet} list="pets" newer={(seen) => <NewerPet pet={seen} />} onClose={onClose}>
      <p>
        The pet leaves the catalogue, and its id is never given again. <strong>This cannot be undone.</strong>
      </p>
    </RemoveDialog>
  );
}

const dialogs = { order: OrderPet, edit: EditPet, remove: RemovePet };

/** A pet, its orders and its changes. Orders and changes stay when the pet is removed. */
export function PetPage({ id }: { id: string }) {
  const fetched = useFetch<Pet>(`/pets/${encodeURIComponent(id)}`, REFRESH_MS);
  const [open, setOpen] = useState<keyof typeof dialogs>();
  const isAdmin = useIsAdmin();
  const { value, etag, error } = fetched;
  const isMissing = error instanceof ApiError && error.status === 404;
  const pet = isMissing ? undefined : value;
  const OpenDialog = open === undefined ? undefined : dialogs[open];
  return (
    <Page
      title={pet?.name ?? "Pet"}
      description={
        <>
          <a href="#/pets">Pets</a> / <code>{id}</code>{" "}
          {pet !== undefined && <Badge tone={toneOfPet[pet.status]}>{pet.status}</Badge>}
        </>
      }
      actions={
        pet !== undefined &&
        isAdmin && (
          <>
            {pet.status === "available" && (
              <Button kind="primary" onClick={() => setOpen("order")}>
                Place order
              </Button>
            )}
            <Button onClick={() => setOpen("edit")}>Edit</Button>
            <Button kind="danger" onClick={() => setOpen("remove")}>
              Remove
            </Button>
          </>
        )
      }
    >
      {isMissing ? (
        <div class="content">
          <EmptyState icon="pets" title="Pet not found">
            <p>
              No pet has the id <code>{id}</code> now. See <a href="#/pets">all pets</a>.
            </p>
          </EmptyState>
          {/^\d+$/.test(id) && <PetRecords id={id} />}
        </div>
      ) : (
        <AsyncContent fetched={fetched} lines={8}>
          {(current) => (
            <>
              <PetDetails of={current} />
              {/* Fetched again when the pet changes. */}
              <PetRecords key={etag} id={id} />
            </>
          )}
        </AsyncContent>
      )}
      {pet !== undefined && OpenDialog !== undefined && (
        <OpenDialog of={{ value: pet, etag }} onClose={() => setOpen(undefined)} onDone={fetched.reload} />
      )}
    </Page>
  );
}

/** The orders for a pet, and what became of it. */
function PetRecords({ id }: { id: string }) {
  return (
    <>
      <Panel title="Orders">
        <OrderList pageSize={10} pagination={usePagination()} filters={{ petId: id, order: "desc" }}>
          <p class="quiet">No orders for this pet.</p>
        </OrderList>
      </Panel>
      <History subject={`pets/${id}`} />
      <ChangesByOperators kind="pet" id={id} />
    </>
  );
}
