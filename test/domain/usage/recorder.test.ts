import { expect, test } from "bun:test";
import { operationOf } from "../../../src/domain/usage/recorder.ts";

test.each([
  ["GET", "/v1/pets", "listPets"],
  ["HEAD", "/v1/pets", "listPets"],
  ["POST", "/v1/pets", "createPet"],
  ["GET", "/v1/pets/1", "getPet"],
  ["GET", "/v1/pets/rex", "getPet"],
  ["GET", "/v1/usage", "getUsage"],
  ["POST", "/v1/usage", "other"],
  ["POST", "/v1/pets/1", "other"],
  ["DELETE", "/v1/pets", "other"],
  ["OPTIONS", "/v1/pets", "other"],
  ["GET", "/v1/pets/", "other"],
  ["GET", "/v1/pets/1/photos", "other"],
  ["GET", "/v1", "other"],
  ["GET", "/v1/orders", "other"],
] as const)("%s %s is %s", (method, path, operation) => {
  expect(operationOf(method, path)).toBe(operation);
});
