/** Logs a secret in many ways. The first argument selects the format of a terminal. */
import { createLog } from "../../src/wiring/log.ts";

const [how, secret = ""] = process.argv.slice(2);
const log = await createLog("trace", how === "terminal");
log.info(secret);
log.warn({ authorization: `Bearer ${secret}`, headers: { Authorization: [secret, secret] } }, `a key: "${secret}"`);
log.error({ err: new Error(`what happened with ${secret}`, { cause: new Error(secret) }) }, "failed");
log.child({ key: secret }).debug({ [secret]: 1 }, "%s and %o", secret, { secret });
log.info("the end");
