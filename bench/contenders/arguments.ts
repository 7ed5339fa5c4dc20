import { readFileSync } from "node:fs";

const [port, answerFile] = process.argv.slice(2);

/** The command line of a contender: its port, and the JSON text to return. */
export const options = { host: "127.0.0.1", port: Number(port), answer: readFileSync(String(answerFile), "utf8") };
