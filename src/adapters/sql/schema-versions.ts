/** The version of a store's schema, 0 if there is none yet, and the version that this program uses. */
export type SchemaVersions = { version: number; current: number };
