import { RemoveDialog } from "../components/dialogs.tsx";
import { NewerPet } from "./newer-pet.tsx";
import type { PetDialogProps } from "./pet-dialog.ts";

export function RemovePet({ of: pet, onClose }: PetDialogProps) {
  return (
    <RemoveDialog of={pet} list="pets" newer={(seen) => <NewerPet pet={seen} />} onClose={onClose}>
      <p>
        The pet leaves the catalogue, and its id is never given again. <strong>This cannot be undone.</strong>
      </p>
    </RemoveDialog>
  );
}
