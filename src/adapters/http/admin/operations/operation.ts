import type { AlertStore } from "../../../../domain/alerts.ts";
import type { AuditFilter, AuditLog, Author } from "../../../../domain/audit.ts";
import { after } from "../../../../domain/awaitable.ts";
import type { BackupService } from "../../../../domain/backups.ts";
import type { CategoryStore } from "../../../../domain/categories.ts";
import type { Deployment } from "../../../../domain/deployment.ts";
import type { EventStore } from "../../../../domain/events.ts";
import type { Format, ImportBatch } from "../../../../domain/files.ts";
import type { Counters, KeyStore } from "../../../../domain/keys/store.ts";
import type { Limiter, MinuteLimiter } from "../../../../domain/limits/limiter.ts";
import type { Operator, OperatorStore, Role, Session, SingleSignOn } from "../../../../domain/operators.ts";
import type { OrderStore } from "../../../../domain/orders.ts";
import type { PetStatus, PetStore } from "../../../../domain/pets.ts";
import type { RequestHistory } from "../../../../domain/requests.ts";
import type { Shop, ShopStore } from "../../../../domain/shop.ts";
import type { Clock } from "../../../../domain/time.ts";
import type { UsageStore } from "../../../../domain/usage/reading.ts";
import type { WebhookSender, WebhookStore } from "../../../../domain/webhooks.ts";
import type { parseRanges } from "../../client-address.ts";
import { ofChange } from "../../openapi-headers.ts";
import { type LogRequest, type Operation, type OperationWithDoors, operationFor } from "../../operation.ts";
import { jsonText, type RequestContext } from "../../request.ts";
import type { Report } from "../../responses.ts";
import type { Description } from "../../routes.ts";
import type { Health } from "../../site.ts";
import type { ImportOptions, UploadedFile } from "../files.ts";
import type { RunningState, Settings } from "../state.ts";

/** The context of an operator's request; with the session, unless the operator sent a token. */
export type OperatorContext = RequestContext & { operator: Operator; session: Session | undefined };

export type OperatorServices = {
  keys: KeyStore;
  operators: OperatorStore;
  /** Undefined if operators sign in with tokens alone. */
  singleSignOn: SingleSignOn | undefined;
  audit: AuditLog;
  /** The matching entries of the audit log as the text of a file, newest first. */
  exportAudit: (filter: AuditFilter, format: Format) => AsyncGenerator<string>;
  pets: PetStore;
  /** Imports the pets of a file, batch by batch. @throws validation_failed when the whole file is invalid */
  importPets: (
    author: Author,
    chunks: AsyncIterable<Uint8Array>,
    options: ImportOptions,
  ) => AsyncGenerator<ImportBatch>;
  /** A snapshot of the catalogue, or its pets of one status, as the text of a file. */
  exportPets: (format: Format, status: PetStatus | undefined) => AsyncGenerator<string>;
  categories: CategoryStore;
  orders: OrderStore;
  counters: Counters;
  /** Returns the callers of a deprecated operation, or of all, as CSV. */
  exportCallers: (operation: string | undefined) => AsyncGenerator<string>;
  usage: UsageStore;
  /** What a key has used of its limits on all nodes together. @throws while Redis is unavailable */
  limitStatus: Limiter["status"];
  requests: RequestHistory;
  shop: ShopStore;
  /** Reads the pets of a file as the contents of a shop. @throws validation_failed when a line is invalid, or there are too many */
  readSeedFile: (file: UploadedFile) => Promise<Shop>;
  events: EventStore;
  alerts: AlertStore;
  webhooks: WebhookStore;
  webhookSender: WebhookSender;
  /** Undefined if there are none, as on PostgreSQL. */
  backups: BackupService | undefined;
  state: () => Promise<RunningState>;
  settings: () => Promise<Settings>;
  clock: Clock;
  deployment: Deployment;
  /** Limits failed attempts to sign in, by client address and the beginning of the token. */
  signIns: MinuteLimiter;
  /** Limits requests without valid credentials, by client address. */
  anonymous: MinuteLimiter;
  /** Limits audit entries about failed attempts to sign in, in all. */
  failureEntries: MinuteLimiter;
  trustedProxies: ReturnType<typeof parseRanges>;
  report: Report;
};

/** Everything that the listener depends on. */
export type AdministrationServices = OperatorServices & {
  /** How an operator creates another on the command line; undefined if no command reaches the database. */
  operatorCommand: string | undefined;
  /** The host names by which clients may call the listener, beside those of this machine. */
  hosts: string[];
  /** All metrics in Prometheus's text format, and who may read them. */
  metrics: () => Promise<string>;
  metricsAccess: "anyone" | "operators";
  health: Health;
  logRequest?: LogRequest | undefined;
};

/** The role that an operator needs. An admin may do everything that a viewer may. */
type ByRole = { role: Role };
type WithoutCredentials = { role: "none" };

export type AdministrationOperation =
  | Operation<OperatorServices, OperatorContext, ByRole>
  | Operation<OperatorServices, RequestContext, WithoutCredentials>;

export const operation = operationFor<OperatorServices, OperatorContext, ByRole>();

/** The same for an operation that needs no credentials. */
export const operationWithoutCredentials = operationFor<OperatorServices, RequestContext, WithoutCredentials>();

/** Returns the operation of the administration interface that is the second door of a public one. */
export function secondDoor({
  scope,
  isFree,
  deprecated,
  forOperators,
  answers,
  ...shared
}: OperationWithDoors): AdministrationOperation {
  return {
    ...shared,
    ...forOperators,
    answers: shared.method === "get" ? withETag(answers) : answers,
    bind: (services) => {
      const { handle, read } = shared.bind(services);
      if (read === undefined) return { handle };
      // Reads by operators are not conditional.
      return {
        handle: (context) => after(read(context), ({ body, etag }) => jsonText(context, 200, body, { ETag: etag })),
      };
    },
  };
}

/** The answers of a read, whose ETag the public interface has in each of them. */
function withETag({ 200: answer, ...others }: Description["answers"]): Description["answers"] {
  return typeof answer === "object" ? { ...others, 200: { ...answer, headers: ofChange } } : others;
}
