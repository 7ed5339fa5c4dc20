// Prints the plan of the key in the environment, or the error of a client without a key.
import { PetstoreClient } from "@petstore/client";

try {
  console.log((await new PetstoreClient().usage()).plan);
} catch (error) {
  console.log(String(error));
}
