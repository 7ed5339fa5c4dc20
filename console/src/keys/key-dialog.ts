import type { Key } from "../api/responses.ts";

/** The props of each dialog that changes a key. `onDone` gets the key as it is after the change. */
export type KeyDialogProps = { of: Key; onClose: () => void; onDone: (key: Key) => void };
