/** Takes requests of a key in shared memory until one is refused, and prints how many were allowed. */
import { mapFile } from "../../../src/adapters/socket/bun.ts";
import { SharedCounts } from "../../../src/adapters/socket/shared-counts.ts";

const [, , file = "", json = ""] = process.argv;
const { count, subject, now } = JSON.parse(json);
const counts = new SharedCounts(mapFile(file));
let allowed = 0;
while (counts.take(count, subject, now) !== undefined) allowed += 1;
console.log(allowed);
