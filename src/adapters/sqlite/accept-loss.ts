import { HighWaterMarkFile, lastIdIn } from "./ids.ts";
import type { StoreFile } from "./migrate.ts";
import { connect } from "./open.ts";

/** Has lost pets no longer reported. Their ids are not given again. A service may use the database. @throws StartupError */
export function acceptLoss(file: StoreFile): void {
  using database = connect(file);
  // Nobody adds a pet meanwhile.
  database.exec("BEGIN IMMEDIATE");
  using mark = new HighWaterMarkFile(file.path);
  mark.replace(lastIdIn(database));
}
