import { holding, type OrderStatus } from "../../src/domain/orders.ts";
import { countByStatus, type PetStatus } from "../../src/domain/pets.ts";
import { KeepAliveConnection, requestText } from "../support/keep-alive.ts";
import { readCatalogue } from "./catalogue.ts";

type Pet = { id: number; status: PetStatus };
type Order = { id: number; petId: number; status: OrderStatus };

/**
 * What is wrong in a store that nobody writes to: a pet has at most one order that is placed or approved, and is then
 * pending; and the inventory counts every pet.
 */
export async function violations(url: string, secret: string): Promise<string[]> {
  const pets = (await readCatalogue(url, secret)).map((text): Pet => JSON.parse(text));
  const orders = (await readCatalogue(url, secret, "/v1/store/orders")).map((text): Order => JSON.parse(text));
  const isHolding = ({ status }: Order) => holding.some((one) => one === status);
  const holders = Map.groupBy(orders.filter(isHolding), ({ petId }) => petId);
  const statusOf = new Map(pets.map(({ id, status }) => [id, status]));
  const found = [...holders].flatMap(([id, all]) => [
    ...(all.length === 1 ? [] : [`pet ${id} has ${all.length} orders that are placed or approved`]),
    ...(statusOf.get(id) === "pending" ? [] : [`pet ${id} has an order, and is ${statusOf.get(id)}`]),
  ]);
  const counted = JSON.stringify(countByStatus(pets));
  const inventory = await readText(url, secret, "/v1/store/inventory");
  return inventory === counted ? found : [...found, `the inventory is ${inventory}, and there are ${counted}`];
}

async function readText(url: string, secret: string, path: string): Promise<string> {
  const connection = await KeepAliveConnection.open(url);
  const { body } = await connection.request(requestText("GET", path, secret));
  connection.close();
  return body;
}
