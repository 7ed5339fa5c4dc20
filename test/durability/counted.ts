import { KeepAliveConnection, requestText } from "../support/keep-alive.ts";
import { AMPLE } from "./store-directory.ts";

/** The number of counted requests of a key with ample limits, before this one. */
export async function countedBefore(url: string, secret: string): Promise<number> {
  const connection = await KeepAliveConnection.open(url);
  const { head } = await connection.request(requestText("GET", "/v1/pets?limit=1", secret));
  connection.close();
  return AMPLE.perDay - Number(/"day";r=(\d+)/.exec(head)?.[1]) - 1;
}
