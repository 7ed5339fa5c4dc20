import { expect, test } from "bun:test";
import { operations } from "../../../src/adapters/http/operations/index.ts";
import { routerOf } from "../../../src/adapters/http/routes.ts";

const router = routerOf("/v1", operations);

test.each([
  ["GET", "/v1/pets", "listPets"],
  ["HEAD", "/v1/pets", "listPets"],
  ["POST", "/v1/pets", "createPet"],
  ["GET", "/v1/pets/1", "getPet"],
  ["GET", "/v1/pets/rex", "getPet"],
  ["GET", "/v1/usage", "getUsage"],
  ["POST", "/v1/usage", "other"],
  ["GET", "/v1/key", "getOwnKey"],
  ["GET", "/v1/key/requests", "listOwnRequests"],
  ["POST", "/v1/key/rotate", "rotateOwnKey"],
  ["GET", "/v1/key/rotate", "other"],
  ["POST", "/v1/pets/1", "other"],
  ["DELETE", "/v1/pets", "other"],
  ["OPTIONS", "/v1/pets", "other"],
  ["GET", "/v1/pets/", "other"],
  ["GET", "/v1/pets/1/photos", "other"],
  ["GET", "/v1", "other"],
  ["GET", "/v1/orders", "other"],
  ["GET", "/v1/categories", "listCategories"],
  ["POST", "/v1/categories", "createCategory"],
  ["GET", "/v1/categories/-5", "getCategory"],
  ["PUT", "/v1/categories/1", "putCategory"],
  ["DELETE", "/v1/categories/1", "deleteCategory"],
  ["GET", "/v1/store/orders", "listOrders"],
  ["POST", "/v1/store/orders", "placeOrder"],
  ["HEAD", "/v1/store/orders/1", "getOrder"],
  ["PATCH", "/v1/store/orders/1", "updateOrder"],
  ["DELETE", "/v1/store/orders/1", "other"],
  ["GET", "/v1/store/inventory", "getInventory"],
  ["GET", "/v1/store/orders/1/pet", "other"],
])("%s %s is %s", (method, path, operation) => {
  expect(router(method, path).operation?.id ?? "other").toBe(operation);
});

test("a path that is written like a pattern has its text as the parameter", () => {
  expect(router("GET", "/v1/pets/{petId}").params).toEqual({ petId: "{petId}" });
});
