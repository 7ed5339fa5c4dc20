import type { Tagged } from "../api/call.ts";
import type { Category } from "../api/responses.ts";

/** The props of each dialog that changes a category. */
export type CategoryDialogProps = { of: Tagged<Category>; onClose: () => void; onDone: () => void };
