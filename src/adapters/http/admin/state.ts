import { z } from "zod";
import { count, timestamp } from "../parameters.ts";
import { countOrNull } from "./fields.ts";

const health = {
  ok: z.boolean(),
  latencyMs: z.number().min(0).nullable().meta({ description: "Its response time; null when it did not respond." }),
};

const PublicOperation = z
  .strictObject({
    id: z.string().meta({ examples: ["listPets"] }),
    method: z.string().meta({ examples: ["GET"] }),
    path: z.string().meta({ examples: ["/pets"] }),
    isDeprecated: z.boolean(),
  })
  .meta({ id: "PublicOperation", description: "An operation of the public interface." });

export const ServiceState = z
  .strictObject({
    version: z.string(),
    deployment: z.enum(["production", "staging"]),
    baseUrls: z.strictObject({ production: z.string(), staging: z.string() }),
    publicUrl: z.string().meta({ description: "The base URL of this deployment." }),
    runtime: z.string().meta({ examples: ["Bun 1.4.5"] }),
    startedAt: timestamp,
    uptimeSeconds: count,
    nodes: count.meta({ description: "The number of nodes, as PETSTORE_NODES sets it." }),
    database: z.strictObject({ engine: z.enum(["sqlite", "postgres"]), ...health }),
    redis: z.strictObject({
      configured: z.boolean(),
      ...health,
      eviction: z.string().nullable().meta({
        description:
          "Why it may remove counts of limits, which must not happen: its maxmemory-policy, or `observed` where it does not name that and has lost a key. null if nothing says so.",
      }),
    }),
    operations: z.array(PublicOperation).meta({ description: "The operations by which requests are counted." }),
  })
  .meta({
    id: "State",
    description: "The state of the service.",
    examples: [
      {
        version: "1.0.0",
        deployment: "production",
        baseUrls: { production: "http://127.0.0.1:8080/v1", staging: "http://127.0.0.1:8090/v1" },
        publicUrl: "http://127.0.0.1:8080/v1",
        runtime: "Bun 1.4.5",
        startedAt: "2026-12-02T10:00:00.250Z",
        uptimeSeconds: 60,
        nodes: 1,
        database: { engine: "sqlite", ok: true, latencyMs: 0.1 },
        redis: { configured: true, ok: true, latencyMs: 0.3, eviction: "allkeys-lru" },
        operations: [{ id: "listPets", method: "GET", path: "/pets", isDeprecated: false }],
      },
    ],
  });
export const Settings = z
  .strictObject({
    database: z.strictObject({
      location: z.string().nullable().meta({ description: "The database without user and password; null in memory." }),
      bytes: countOrNull.meta({
        description: "Its size, with the write-ahead log of a SQLite file; null if it is not known.",
      }),
    }),
    disk: z
      .strictObject({ bytes: count, freeBytes: count })
      .nullable()
      .meta({ description: "The disk of the SQLite file; null on PostgreSQL, whose disk is that of its server." }),
    settings: z
      .array(
        z
          .strictObject({
            name: z.string(),
            value: z.string().nullable().meta({ description: "Secrets are struck out; null if it is not set." }),
            source: z.enum(["default", "environment", "option"]).meta({
              id: "SettingSource",
              description: "`option`: an option of `petstore serve`.",
            }),
          })
          .meta({ id: "Setting", description: "A setting as it holds in the process that serves this." }),
      )
      .meta({ description: "In the order of the documentation." }),
  })
  .meta({
    id: "Settings",
    description: "The settings of the service, and the room that it has.",
    examples: [
      {
        database: { location: "sqlite:/var/lib/petstore/petstore.db", bytes: 405_504 },
        disk: { bytes: 50_000_000_000, freeBytes: 20_000_000_000 },
        settings: [{ name: "PORT", value: "8080", source: "default" }],
      },
    ],
  });
export type Settings = z.infer<typeof Settings>;

export type ServiceState = z.infer<typeof ServiceState>;

/** The state without what is the same for every service of this version. */
export type RunningState = Omit<ServiceState, "operations">;
