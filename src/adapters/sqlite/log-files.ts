import { realpathSync } from "node:fs";

// The files that SQLite keeps beside a database in use. By a link it finds those of the file that the link leads to.

/** The write-ahead log of an existing database. */
export const logOf = (path: string): string => `${realpathSync(path)}-wal`;

/** The index of the log, by which processes see each other's commits. */
export const indexOf = (path: string): string => `${realpathSync(path)}-shm`;
