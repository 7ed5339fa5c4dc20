import { useService } from "../support/use-service.ts";
import { Workplace } from "./petstore.ts";

/** A service for the tests of a file, and the commands that create its keys. */
export function useKeys() {
  const service = useService({ now: Date.now() });
  const petstore = new Workplace(service);
  return {
    service,
    petstore,
    create: (...more: string[]) => petstore.json("keys", "create", "--name", "My app", "--plan", "free", ...more),
    /** The code with which the service, as of now, refuses this secret. */
    async refusalOf(secret: string): Promise<string | undefined> {
      await service.setClock(Date.now());
      return (await service.withSecret(secret).get("/v1/pets")).body.code;
    },
  };
}
