import type { OrderStatus } from "../../src/domain/orders.ts";
import type { PetStatus } from "../../src/domain/pets.ts";
import type { Answered, Call, Patch } from "./calls.ts";

/** A pet with its orders by id, and the ETag of each that an answer has shown last. */
type KnownPet = { id: number; tag?: string | undefined; orders: Map<number, string | undefined>; callsLeft: number };

/** Few pets at a time, so that many calls meet at one; and another after so many calls, so that histories stay short. */
const PETS = 16;
const CALLS_PER_PET = 150;
const CALLS_AFTER_REMOVAL = 6;
/** The number of ids in a list by id. */
const LISTED = 4;
/** The parts of calls that repeat one with an Idempotency-Key, of calls that have one, and of changes with If-Match. */
const REPEATED = 0.08;
const WITH_KEY = 0.6;
const WITH_TAG = 0.5;

const times = <const T>(count: number, item: T): T[] => Array<T>(count).fill(item);
/** How often each is made. Creations replace pets. */
const OPERATIONS = [
  ...times(24, "placeOrder"),
  ...times(24, "updateOrder"),
  ...times(16, "updatePet"),
  ...times(1, "deletePet"),
  ...times(12, "getPet"),
  ...times(8, "listPets"),
  ...times(6, "getOrder"),
  ...times(9, "listOrders"),
];
const ORDER_STATUSES: OrderStatus[] = ["approved", "approved", "delivered", "cancelled", "cancelled", "placed"];
const PET_STATUSES: PetStatus[] = ["available", "available", "available", "pending", "sold"];

/** Chooses the calls of all clients at random, and learns from the answers which pets and orders there are. */
export class KnownPets {
  /** The pets that calls are about now. */
  #current: KnownPet[] = [];
  readonly #all = new Map<number, KnownPet>();
  /** Calls with an idempotency key, to be repeated. */
  readonly #repeats: Call[] = [];
  #made = 0;

  /** Calls that show every pet so far and its orders. */
  get reads(): Call[] {
    return [...this.#all.values()].flatMap(({ id, orders }): Call[] => [
      { operation: "getPet", petId: id },
      { operation: "listOrders", petId: id },
      ...[...orders.keys()].map((orderId): Call => ({ operation: "getOrder", petId: id, orderId })),
    ]);
  }

  /** A read, for a client that waits for the end of an outage. */
  get probe(): Call {
    return { operation: "getPet", petId: this.#current[0]?.id ?? 1 };
  }

  next(): Call {
    if (Math.random() < REPEATED) {
      const repeated = this.#repeats.shift();
      if (repeated !== undefined) return repeated;
    }
    const pet = this.#current.length < PETS * Math.random() ? undefined : anyOf(this.#current);
    this.#made += 1;
    const call = pet === undefined ? this.#creation() : this.#about(pet);
    // Soon again: maybe before the answer.
    if (hasKey(call) && Math.random() < 0.2) this.#repeats.push(call);
    return call;
  }

  /** The call was answered so, or not at all. */
  learn(call: Call, answer: Answered | undefined): void {
    if (answer === undefined) {
      if (hasKey(call)) this.#repeats.push(call);
      return;
    }
    const { status, etag, body } = answer;
    if (call.operation === "listPets" || status >= 300) return;
    const shown = [body ?? []].flat();
    if (call.operation === "createPet") {
      for (const { id } of shown) this.#add(id);
      return;
    }
    const pet = this.#all.get(call.petId);
    if (pet === undefined) return;
    if (call.operation === "deletePet") pet.callsLeft = Math.min(pet.callsLeft, CALLS_AFTER_REMOVAL);
    else if (call.operation === "getPet" || call.operation === "updatePet") pet.tag = etag;
    else for (const { id } of shown) pet.orders.set(id, etag ?? pet.orders.get(id));
  }

  #add(id: number): void {
    if (this.#all.has(id)) return;
    const pet = { id, tag: '"v1"', orders: new Map(), callsLeft: CALLS_PER_PET };
    this.#all.set(id, pet);
    this.#current.push(pet);
  }

  #creation(): Call {
    const body = { name: `Pet ${this.#made}`, categoryId: this.#made % 7, status: anyOf(PET_STATUSES) };
    return { operation: "createPet", body, key: this.#key() };
  }

  #about(pet: KnownPet): Call {
    pet.callsLeft -= 1;
    if (pet.callsLeft <= 0) this.#current = this.#current.filter((other) => other !== pet);
    const petId = pet.id;
    // Mostly the last one, which may hold the pet.
    const orders = [...pet.orders.keys()];
    const orderId = Math.random() < 0.8 ? orders.at(-1) : orders[Math.floor(Math.random() * orders.length)];
    const operation = anyOf(OPERATIONS);
    switch (operation) {
      case "placeOrder":
        return { operation, petId, key: this.#key() };
      case "updateOrder": {
        if (orderId === undefined) return { operation: "listOrders", petId };
        const ifMatch = Math.random() < WITH_TAG ? pet.orders.get(orderId) : undefined;
        return { operation, petId, orderId, status: anyOf(ORDER_STATUSES), ifMatch };
      }
      case "updatePet":
        return { operation, petId, body: this.#patch(), ifMatch: Math.random() < WITH_TAG ? pet.tag : undefined };
      case "deletePet":
        return { operation, petId, ifMatch: Math.random() < WITH_TAG ? pet.tag : undefined };
      case "getOrder":
        return orderId === undefined ? { operation: "listOrders", petId } : { operation, petId, orderId };
      case "listPets":
        return { operation, petIds: [...new Set([petId, ...this.#others()])] };
      default:
        return { operation, petId };
    }
  }

  #patch(): Patch {
    switch (this.#made % 3) {
      case 0:
        return { name: `Pet ${this.#made}` };
      case 1:
        return { categoryId: this.#made % 7 };
      default:
        return { status: anyOf(PET_STATUSES) };
    }
  }

  /** Further ids for a list, which may have one alone. */
  #others(): number[] {
    if (this.#current.length === 0 || Math.random() < 0.5) return [];
    return Array.from({ length: LISTED - 1 }, () => anyOf(this.#current).id);
  }

  #key(): string | undefined {
    return Math.random() < WITH_KEY ? `key ${this.#made}` : undefined;
  }
}

function hasKey(call: Call): boolean {
  return "key" in call && call.key !== undefined;
}

function anyOf<T>(items: readonly T[]): T {
  const item = items[Math.floor(Math.random() * items.length)];
  if (item === undefined) throw new Error("there is nothing to choose from");
  return item;
}
