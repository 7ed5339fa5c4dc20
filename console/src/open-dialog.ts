export const isDialogOpen = (): boolean => document.querySelector("dialog[open]") !== null;
