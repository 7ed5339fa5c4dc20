import type { Tagged } from "../api/call.ts";
import type { Pet } from "../api/responses.ts";

/** The props of each dialog that changes a pet. */
export type PetDialogProps = { of: Tagged<Pet>; onClose: () => void; onDone: () => void };
