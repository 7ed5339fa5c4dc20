import { useState } from "preact/hooks";
import { ApiError } from "../api/call.ts";
import { useFetch } from "../api/hooks.ts";
import type { Pet } from "../api/responses.ts";
import { History } from "../audit/history.tsx";
import { Button } from "../components/button.tsx";
import { AsyncContent, EmptyState, Page, Panel } from "../components/page.tsx";
import { usePagination } from "../components/table.tsx";
import { Badge } from "../components/values.tsx";
import { OrderList } from "../orders/order-list.tsx";
import { useIsAdmin } from "../session.tsx";
import { EditPet } from "./edit-pet.tsx";
import { toneOf } from "./labels.ts";
import { OrderPet } from "./order-pet.tsx";
import { PetDetails } from "./pet-details.tsx";
import { RemovePet } from "./remove-pet.tsx";

const REFRESH_MS = 5_000;
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
          {pet !== undefined && <Badge tone={toneOf[pet.status]}>{pet.status}</Badge>}
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

/** The orders for a pet, and its changes. */
function PetRecords({ id }: { id: string }) {
  return (
    <>
      <Panel title="Orders">
        <OrderList pageSize={10} pagination={usePagination()} filters={{ petId: id, order: "desc" }}>
          <p class="quiet">No orders for this pet.</p>
        </OrderList>
      </Panel>
      <History kind="pet" id={id} />
    </>
  );
}
