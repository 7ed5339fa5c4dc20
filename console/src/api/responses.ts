import type { z } from "zod";
import type * as schemas from "../../../src/adapters/http/admin/schemas.ts";

/** The responses of the administration API, typed by the schemas of its OpenAPI document. Timestamps are RFC 3339. */
export type Operator = z.infer<typeof schemas.Operator>;
export type Role = Operator["role"];
export type Session = z.infer<typeof schemas.Session>;
export type IssuedOperator = z.infer<typeof schemas.IssuedOperator>;
export type FirstOperator = z.infer<typeof schemas.FirstOperator>;
export type Operators = z.infer<typeof schemas.Operators>;
export type Key = z.infer<typeof schemas.Key>;
export type Window = NonNullable<Key["usage"]>["minute"];
export type Keys = z.infer<typeof schemas.Keys>;
export type IssuedKey = z.infer<typeof schemas.IssuedKey>;
export type Alerts = z.infer<typeof schemas.Alerts>;
export type Alert = Alerts["alerts"][number];
export type Audit = z.infer<typeof schemas.AuditEntries>;
export type AuditEntry = Audit["entries"][number];
export type Backups = z.infer<typeof schemas.Backups>;
export type Backup = Backups["backups"][number];
export type BackupJob = NonNullable<Backups["job"]>;
export type ShopContents = z.infer<typeof schemas.ShopContents>;
export type Settings = z.infer<typeof schemas.Settings>;
export type ServiceState = z.infer<typeof schemas.ServiceState>;

export type Point = z.infer<typeof schemas.Point>;
export type ByClass = Point["byClass"];
export type StatusClass = keyof ByClass;
export type Usage = z.infer<typeof schemas.UsageSeries>;
export type TotalUsage = z.infer<typeof schemas.UsageOfAll>;
export type UsageByPlan = z.infer<typeof schemas.UsageByPlan>;
export type PlanUsage = UsageByPlan["plans"][number];
export type TopKeys = z.infer<typeof schemas.TopKeys>;
export type Overview = z.infer<typeof schemas.Overview>;
export type Deprecations = z.infer<typeof schemas.Deprecations>;
export type DeprecatedOperation = Deprecations["operations"][number];
export type Callers = z.infer<typeof schemas.Callers>;
export type Caller = Callers["callers"][number];

export type RequestList = z.infer<typeof schemas.RequestPage>;
export type Requests = z.infer<typeof schemas.Requests>;
export type PastRequest = Requests["requests"][number];

/** An integer, as its digits if it is beyond 2^53. */
export type Int64 = number | string;

type PetPage = z.infer<typeof schemas.PetPage>;
export type Pet = Omit<PetPage["pets"][number], "categoryId"> & { categoryId: Int64 };
export type Pets = { pets: Pet[]; next: PetPage["next"]; total: PetPage["total"] };
export type Category = Omit<z.infer<typeof schemas.CategoryPage>["categories"][number], "id"> & { id: Int64 };
export type Categories = { categories: Category[]; next: Int64 | null };
type OrderPage = z.infer<typeof schemas.OrderPage>;
export type Order = Omit<OrderPage["orders"][number], "pet"> & { pet: Pick<Pet, "name" | "categoryId"> | null };
type EventPage = z.infer<typeof schemas.EventPage>;
export type Event = Omit<EventPage["events"][number], "data"> & { data: object };
export type Events = Pick<EventPage, "keptSince"> & { events: Event[] };
export type Webhook = z.infer<typeof schemas.Webhook>;
export type Webhooks = z.infer<typeof schemas.Webhooks>;
export type IssuedWebhook = z.infer<typeof schemas.IssuedWebhook>;
export type WebhookDelivery = z.infer<typeof schemas.WebhookDelivery>;
export type WebhookDeliveries = z.infer<typeof schemas.WebhookDeliveries>;
export type Orders = { orders: Order[]; next: OrderPage["next"]; total: OrderPage["total"] };
