import { FULL } from "./effort.ts";
import { distinct, type RequestLine, STRIDE } from "./requests.ts";
import { SHOP, shopPet } from "./shop.ts";

/** The filters of the lists: each gives full pages from the first half of the catalogue. */
export type ShopFilter = "status" | "categoryId" | "name";

/** One subject's requests in one run name pets of their own: a pet can be ordered once. The first run checks a response. */
const RUNS = 1 + 1 + FULL.rounds;
/** Of ten pets two are changed, the others ordered. */
const CHANGED_IN_TEN = 2;

/** Pages from all over the shop with these filters. A parameter that the service ignores keeps pages from the cache. */
export function shopPages(filters: ShopFilter[]): RequestLine[] {
  return distinct((i) => {
    const query = filters.map((filter) => `&${filter}=${encodeURIComponent(String(filterValues(i)[filter]))}`).join("");
    return `GET /v1/pets?limit=20${query}&after=${(i * STRIDE) % (SHOP.pets / 2)}&turn=${i}`;
  });
}

/** The expected response to the first of them, computed without the service. */
export function shopPage(filters: ShopFilter[]): string {
  const wanted = filterValues(0);
  const pets: string[] = [];
  for (let id = 1; pets.length < 20; id++) {
    const { name, categoryId, status } = shopPet(id);
    const values = { name, categoryId: Number(categoryId), status };
    if (filters.every((filter) => values[filter] === wanted[filter])) pets.push(JSON.stringify({ id, ...values }));
  }
  return `[${pets.join(",")}]`;
}

/** Pets like those of the shop. */
export function shopCreations(): RequestLine[] {
  return distinct((i) => {
    const { name, categoryId, status } = shopPet(SHOP.pets + i * STRIDE);
    return `POST /v1/pets {"name":"${name}","categoryId":${categoryId},"status":"${status}"}`;
  });
}

/** Changes of pets from all over the shop: all are sold, then all are available again, and so on. */
export function shopUpdates(run: number): RequestLine[] {
  const ids = availablePets(run, (group) => group < CHANGED_IN_TEN);
  return ["sold", "available"].flatMap((status) => ids.map((id) => `PATCH /v1/pets/${id} {"status":"${status}"}`));
}

/** Orders of pets from all over the shop, each of another one. */
export function shopOrders(run: number): RequestLine[] {
  return availablePets(run, (group) => group >= CHANGED_IN_TEN).map((id) => `POST /v1/store/orders {"petId":${id}}`);
}

function availablePets(run: number, isInGroup: (group: number) => boolean): number[] {
  const ids = Array.from({ length: SHOP.pets }, (_, i) => ((i * STRIDE) % SHOP.pets) + 1);
  return ids.filter(
    (id) => Math.floor(id / 10) % RUNS === run && isInGroup(id % 10) && shopPet(id).status === "available",
  );
}

function filterValues(i: number): Record<ShopFilter, string | number> {
  return {
    status: "available",
    categoryId: ((i * STRIDE) % SHOP.categories) + 1,
    name: `Pet ${(i * STRIDE) % SHOP.names}`,
  };
}
