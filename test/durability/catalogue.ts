import { KeepAliveConnection, requestText } from "../support/keep-alive.ts";

const LARGEST_PAGE = 100;
const BETWEEN_ITEMS = /(?<=\}),(?=\{)/;

/** Every pet that a service lists, or every item of the list at another path, as the JSON text of the response. */
export async function readCatalogue(url: string, secret: string, list = "/v1/pets"): Promise<string[]> {
  const connection = await KeepAliveConnection.open(url);
  const items: string[] = [];
  let after = "0";
  for (;;) {
    const path = `${list}?limit=${LARGEST_PAGE}&after=${after}`;
    const { status, body } = await connection.request(requestText("GET", path, secret));
    if (status !== 200) throw new Error(`GET ${path} was answered ${status}: ${body}`);
    const page = body === "[]" ? [] : body.slice(1, -1).split(BETWEEN_ITEMS);
    items.push(...page);
    if (page.length < LARGEST_PAGE) break;
    after = /^\{"id":(\d+)/.exec(page.at(-1) ?? "")?.[1] ?? "";
  }
  connection.close();
  return items;
}
