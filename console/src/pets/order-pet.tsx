import { call } from "../api/call.ts";
import { useAction } from "../api/hooks.ts";
import type { Order } from "../api/responses.ts";
import { Dialog } from "../components/dialog.tsx";
import { Form } from "../components/form.tsx";
import type { PetDialogProps } from "./pet-dialog.ts";

/** Orders an available pet, as for a customer who calls. */
export function OrderPet({ of: pet, onClose, onDone }: PetDialogProps) {
  const { id, name } = pet.value;
  const action = useAction();
  const place = async () => {
    await call<Order>("POST", "/orders", { petId: id });
    onDone();
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
