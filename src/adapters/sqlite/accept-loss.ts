import { HighWaterMarkFile, lastIdIn } from "./ids.ts";
import type { StoreFile } from "./migrate.ts";
import { connect } from "./open.ts";

/** How long it waits for a process that writes, in ms. */
const BUSY_TIMEOUT = 10_000;

/** Has lost pets no longer reported. Their ids are not given again. A service may use the database. @throws StartupError */
export function acceptLoss(file: StoreFile): void {
  using database = connect(file, BUSY_TIMEOUT);
  // Nobody adds a pet meanwhile.
  database.exec("BEGIN IMMEDIATE");
  using mark = new HighWaterMarkFile(file.path);
  mark.replace(lastIdIn(database));
}
