// Makes the tour that its last argument has the places for, and prints what was seen.
import { tour } from "./tour.mjs";

console.log(JSON.stringify(await tour(JSON.parse(process.argv.at(-1) ?? ""))));
