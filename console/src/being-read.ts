export const isDialogOpen = (): boolean => document.querySelector("dialog[open]") !== null;

/** Whether a list should stay as it is: a dialog is open, or the focus is on a link of the list, which new rows would move. */
export const isBeingRead = (): boolean =>
  isDialogOpen() || document.activeElement?.matches("main :is(tbody, .audit) a") === true;
