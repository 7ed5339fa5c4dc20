/** The path of a database in memory: SQLite's own name for it. Only its connection sees it, and nothing is on disk. */
export const IN_MEMORY = ":memory:";
