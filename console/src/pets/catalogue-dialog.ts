/** The props of each dialog of the list of pets. `status` is the filter of the list; "" is all. */
export type CatalogueDialogProps = { status: string; onClose: () => void; onDone: () => void };
