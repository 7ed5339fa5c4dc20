import { useAction } from "../api/action.ts";
import { useConditionalChange } from "../api/conditional-change.ts";
import type { Pet } from "../api/responses.ts";
import { Dialog } from "../components/dialog.tsx";
import { Form } from "../components/form.tsx";
import { NewerPet } from "./newer-pet.tsx";
import type { PetDialogProps } from "./pet-dialog.ts";

export function RemovePet({ of: pet, onClose, onDone }: PetDialogProps) {
  const action = useAction();
  const { id, name } = pet.value;
  const change = useConditionalChange<Pet>(`/pets/${id}`, pet);
  const remove = async () => {
    await change.send("DELETE");
    onDone();
    onClose();
  };
  return (
    <Dialog title={`Remove ${name}?`} onClose={onClose}>
      <Form action={action} submitLabel={`Remove ${name}`} isDangerous onSubmit={remove}>
        {change.isNewer && <NewerPet pet={change.seen} />}
        <p>
          The pet leaves the catalogue, and its id is never given again. <strong>This cannot be undone.</strong>
        </p>
      </Form>
    </Dialog>
  );
}
