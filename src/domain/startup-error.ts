/** A database that must not, or cannot, be used; the message says which, why, and what to do. */
export class StartupError extends Error {}
