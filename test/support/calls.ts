import type { OrderStatus } from "../../src/domain/orders.ts";
import type { PetStatus } from "../../src/domain/pets.ts";

type Fields = { name: string; categoryId: number; status: PetStatus };
export type Patch = Partial<Fields>;

/** A request of a client. An order's call names its pet too. `key` is an Idempotency-Key. */
export type Call =
  | { operation: "createPet"; body: Fields; key?: string | undefined }
  | { operation: "updatePet"; petId: number; body: Patch; ifMatch?: string | undefined }
  | { operation: "deletePet"; petId: number; ifMatch?: string | undefined }
  | { operation: "getPet"; petId: number }
  | { operation: "listPets"; petIds: number[] }
  | { operation: "placeOrder"; petId: number; key?: string | undefined }
  | { operation: "updateOrder"; petId: number; orderId: number; status: OrderStatus; ifMatch?: string | undefined }
  | { operation: "getOrder"; petId: number; orderId: number }
  | { operation: "listOrders"; petId: number };

/** A pet, an order or an error. */
type Resource = { id: number; [field: string]: unknown };
/** An answer. `replayed`: it has the header Idempotency-Replayed. */
export type Answered = {
  status: number;
  etag?: string | undefined;
  replayed: boolean;
  body?: Resource | Resource[] | undefined;
};

/** A call with its times in ns. An open call has no answer: nobody knows whether it had its effect. */
export type HistoryEntry = { client: number; call: Call; from: number; until?: number; answer?: Answered };

type Request = { method: string; path: string; headers?: Record<string, string>; body?: object };

export function requestOf(call: Call): Request {
  switch (call.operation) {
    case "createPet":
      return { method: "POST", path: "/v1/pets", headers: idempotencyKey(call.key), body: call.body };
    case "updatePet":
      return { method: "PATCH", path: `/v1/pets/${call.petId}`, headers: ifMatch(call.ifMatch), body: call.body };
    case "deletePet":
      return { method: "DELETE", path: `/v1/pets/${call.petId}`, headers: ifMatch(call.ifMatch) };
    case "getPet":
      return { method: "GET", path: `/v1/pets/${call.petId}` };
    case "listPets":
      return { method: "GET", path: `/v1/pets?ids=${call.petIds}` };
    case "placeOrder": {
      const { petId, key } = call;
      return { method: "POST", path: "/v1/store/orders", headers: idempotencyKey(key), body: { petId } };
    }
    case "updateOrder": {
      const { orderId, status } = call;
      return {
        method: "PATCH",
        path: `/v1/store/orders/${orderId}`,
        headers: ifMatch(call.ifMatch),
        body: { status },
      };
    }
    case "getOrder":
      return { method: "GET", path: `/v1/store/orders/${call.orderId}` };
    case "listOrders":
      return { method: "GET", path: `/v1/store/orders?petId=${call.petId}&limit=100` };
  }
}

function idempotencyKey(key: string | undefined): Record<string, string> {
  return key === undefined ? {} : { "Idempotency-Key": key };
}

function ifMatch(tag: string | undefined): Record<string, string> {
  return tag === undefined ? {} : { "If-Match": tag };
}
