import { useState } from "preact/hooks";
import { petTransitions } from "../../../src/domain/transitions.ts";
import { useAction, useConditionalChange } from "../api/hooks.ts";
import type { Pet } from "../api/responses.ts";
import { Dialog } from "../components/dialog.tsx";
import { Form } from "../components/form.tsx";
import { NewerPet } from "./newer-pet.tsx";
import type { PetDialogProps } from "./pet-dialog.ts";
import { PetFields } from "./pet-fields.tsx";
import { inputOf, jsonOf, type PetInput } from "./pet-input.ts";

/** Changes the fields that the operator edits. The others show what somebody else may have changed meanwhile. */
export function EditPet({ of: pet, onClose, onDone }: PetDialogProps) {
  const [edited, setEdited] = useState<Partial<PetInput>>({});
  const action = useAction();
  const change = useConditionalChange<Pet>(`/pets/${pet.value.id}`, pet);
  const { seen } = change;
  const save = async () => {
    await change.send("PATCH", jsonOf(edited));
    onDone();
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
