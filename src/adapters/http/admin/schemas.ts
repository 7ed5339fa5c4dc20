// The schemas of the responses, from which the console takes its types.

export { Alerts } from "./operations/alerts.ts";
export { AuditEntries } from "./operations/audit.ts";
export { Backups } from "./operations/backups.ts";
export { CategoryPage } from "./operations/categories.ts";
export { Callers, Deprecations } from "./operations/deprecations.ts";
export { EventPage } from "./operations/events.ts";
export { IssuedKey, Key, Keys } from "./operations/keys.ts";
export { FirstOperator, IssuedOperator, Operator, Operators, Session } from "./operations/operators.ts";
export { OrderPage } from "./operations/orders.ts";
export { PetPage } from "./operations/pets.ts";
export { RequestPage, Requests } from "./operations/requests.ts";
export { ShopContents } from "./operations/service.ts";
export { Overview, Point, TopKeys, UsageByPlan, UsageOfAll, UsageSeries } from "./operations/usage.ts";
export { IssuedWebhook, Webhook, WebhookDeliveries, WebhookDelivery, Webhooks } from "./operations/webhooks.ts";
export { ServiceState, Settings } from "./state.ts";
