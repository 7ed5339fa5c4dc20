export const isDialogOpen = (): boolean => document.querySelector("dialog[open]") !== null;

/**
 * Whether the page should stay as it is: a dialog is open, which keeps the page that it was opened from, or the focus is on
 * a link of a list, whose new rows would move it. A button of a row begins something, of which the page then shows the result.
 */
export const isBeingRead = (): boolean =>
  isDialogOpen() || document.activeElement?.matches("main :is(tbody, .audit) a") === true;
