/** The service or a command cannot start; the message states why and what to do. */
export class StartupError extends Error {}
