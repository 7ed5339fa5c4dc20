/** The props of each dialog of the pets page. `status` is the filter of the list; "" is all. */
export type PetDialogProps = { status: string; onClose: () => void; onDone: () => void };
