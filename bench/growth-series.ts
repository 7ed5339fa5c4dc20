import { addKeys, type Catalogue, createCatalogue, firstPageText, PAGE_SPAN, pet, petText } from "./catalogue.ts";
import {
  consecutivePages,
  created,
  creation,
  distinct,
  list,
  pets,
  type RequestLine,
  STRIDE,
  scatteredPages,
} from "./requests.ts";
import { addOrders, orderText } from "./shop.ts";
import type { Workload } from "./subject.ts";
import type { Workspace } from "./workspace.ts";

/** A load on a store with so many pets, keys or orders. With `isFresh` each run has requests of its own. */
export type GrowthLoad = Omit<Workload, "requests"> & {
  title: string;
  requests(run: number): RequestLine[];
  isFresh?: boolean;
};

/** How a store grows, and what is measured at each size. Loads that write come last. */
export type Series = {
  name: string;
  /** The first cell of the table's header, and the title of its part of the chart. */
  title: string;
  sizes: number[];
  make(workspace: Workspace, size: number): Promise<Catalogue & { secrets?: string[] }>;
  loads(size: number): GrowthLoad[];
};

/** The pets in the stores whose keys or orders grow. */
const PETS_BESIDE_KEYS = 100_000;
const PETS_BESIDE_ORDERS = 1_000_000;
/** The runs whose requests name pets of their own: a pet can be ordered once. */
const RUNS = 12;

const newCatalogue = (workspace: Workspace, size: number) => createCatalogue(workspace.path("petstore.db"), size);

export const series: Series[] = [
  {
    name: "pets",
    title: "Pets",
    sizes: [1_000, 10_000, 100_000, 1_000_000, 10_000_000],
    make: newCatalogue,
    loads: (size) => [
      { title: "list page by page", requests: () => consecutivePages(size), answer: firstPageText() },
      { title: "list at random places", requests: () => scatteredPages(size), answer: firstPageText() },
      listLoad("list without a filter", size, "", () => true),
      listLoad("list by category", size, "&categoryId=7", (id) => pet(id).categoryId === 7n),
      listLoad("list by name", size, "&name=Bubbles", (id) => pet(id).name === "Bubbles"),
      { title: "get by id", requests: () => pets(size), answer: petText(1) },
      {
        title: "inventory",
        requests: () => ["GET /v1/store/inventory"],
        answer: /^\{"available":\d+,"pending":\d+,"sold":\d+\}$/,
      },
      { title: "creations", requests: () => [creation], answer: created },
    ],
  },
  {
    name: "keys",
    title: "Keys",
    sizes: [1, 100, 10_000, 100_000],
    make: async (workspace, size) => {
      const catalogue = await newCatalogue(workspace, PETS_BESIDE_KEYS);
      return { ...catalogue, secrets: await addKeys(catalogue, size) };
    },
    loads: (size) => [
      { title: "list of 20, a random key", requests: () => [list], answer: firstPageText(), keys: size },
    ],
  },
  {
    name: "orders",
    title: "Orders",
    sizes: [1_000, 10_000, 100_000, 1_000_000],
    make: async (workspace, size) => {
      const catalogue = await newCatalogue(workspace, PETS_BESIDE_ORDERS);
      await addOrders(catalogue.path, size);
      return catalogue;
    },
    loads: (size) => [
      {
        title: "list of orders",
        requests: () => distinct((i) => `GET /v1/store/orders?limit=20&after=${(i * STRIDE) % (size - 20)}&turn=${i}`),
        answer: new RegExp(`^\\[${orderText(1)}.*${orderText(20)}[^{]*\\}\\]$`),
      },
      {
        title: "orders of a pet",
        requests: () => distinct((i) => `GET /v1/store/orders?petId=${((i * STRIDE) % size) + 1}&turn=${i}`),
        answer: new RegExp(`^\\[${orderText(1)}[^{]*\\}\\]$`),
      },
      {
        title: "get an order",
        requests: () => distinct((i) => `GET /v1/store/orders/${((i * STRIDE) % size) + 1}`),
        answer: new RegExp(`^${orderText(1)}`),
      },
      {
        title: "orders placed",
        requests: newOrders,
        answer: /^\{"id":\d+,"petId":\d+,"status":"placed",/,
        isFresh: true,
      },
    ],
  },
];

/** Pages of the pets that match a filter, from all over the catalogue. `turn` keeps them from the cache. */
function listLoad(title: string, size: number, filter: string, matches: (id: number) => boolean): GrowthLoad {
  const page: number[] = [];
  for (let id = 1; page.length < 20; id++) if (matches(id)) page.push(id);
  const afters = Math.max(1, size - Math.max(PAGE_SPAN, page.at(-1) ?? 0) - 1);
  return {
    title,
    requests: () => distinct((i) => `GET /v1/pets?limit=20${filter}&after=${(i * STRIDE) % afters}&turn=${i}`),
    answer: `[${page.map(petText).join(",")}]`,
  };
}

function newOrders(run: number): RequestLine[] {
  const ids = Array.from({ length: PETS_BESIDE_ORDERS }, (_, i) => ((i * STRIDE) % PETS_BESIDE_ORDERS) + 1);
  return ids
    .filter((id) => Math.floor(id / 3) % RUNS === run % RUNS && pet(id).status === "available")
    .map((id) => `POST /v1/store/orders {"petId":${id}}`);
}
