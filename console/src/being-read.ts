export const isDialogOpen = (): boolean => document.querySelector("dialog[open]") !== null;

/**
 * Whether the page should stay as it is: a dialog is open, which keeps the page that it was opened from, or the focus is in
 * a table, where new rows would move it away from who goes through the rows with the keyboard.
 */
export const isBeingRead = (): boolean => isDialogOpen() || document.activeElement?.closest("main tbody") != null;
