import { readFileSync } from "node:fs";

const [port, answerFile] = process.argv.slice(2);

/** What a contender is told on its command line: where to listen on the loopback, and which JSON text to answer. */
export const given = { host: "127.0.0.1", port: Number(port), answer: readFileSync(String(answerFile), "utf8") };
