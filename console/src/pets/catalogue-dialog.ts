import type { Pet } from "../api/responses.ts";

/**
 * The props of each dialog of the list of pets. `status` is the filter of the list; "" is all. `onDone` gets the pet that was
 * added, if it was a single one.
 */
export type CatalogueDialogProps = { status: string; onClose: () => void; onDone: (added?: Pet) => void };
