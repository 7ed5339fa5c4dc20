import type { Deployment } from "../domain/deployment.ts";

/** Production and staging may run on one machine: their defaults differ. */
export const defaultPorts: Record<Deployment, number> = { production: 8080, staging: 8090 };
export const defaultAdminPorts: Record<Deployment, number> = { production: 8081, staging: 8091 };
export const defaultDatabaseUrls: Record<Deployment, string> = {
  production: "sqlite:data/petstore.db",
  staging: "sqlite:data/petstore-staging.db",
};
export const defaultBaseUrls: Record<Deployment, string> = {
  production: "http://127.0.0.1:8080/v1",
  staging: "http://127.0.0.1:8090/v1",
};
