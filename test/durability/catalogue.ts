import { KeepAliveConnection, requestText } from "./keep-alive.ts";

const LARGEST_PAGE = 100;
const BETWEEN_PETS = /(?<=\}),(?=\{)/;

/** Every pet that a service lists, as the JSON text of the response. */
export async function readCatalogue(url: string, secret: string): Promise<string[]> {
  const connection = await KeepAliveConnection.open(url);
  const pets: string[] = [];
  let after = "0";
  for (;;) {
    const path = `/v1/pets?limit=${LARGEST_PAGE}&after=${after}`;
    const { status, body } = await connection.request(requestText("GET", path, secret));
    if (status !== 200) throw new Error(`GET ${path} was answered ${status}: ${body}`);
    const page = body === "[]" ? [] : body.slice(1, -1).split(BETWEEN_PETS);
    pets.push(...page);
    if (page.length < LARGEST_PAGE) break;
    after = /^\{"id":(\d+)/.exec(page.at(-1) ?? "")?.[1] ?? "";
  }
  connection.close();
  return pets;
}
