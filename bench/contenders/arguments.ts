const [port, file = ""] = process.argv.slice(2);

/** The command line of a contender: its port, and the file with the JSON text to return, or the database. */
export const options = { host: "127.0.0.1", port: Number(port), file };
