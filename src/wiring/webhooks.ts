import { setTimeout as pause } from "node:timers/promises";
import { MAX_CONNECTIONS } from "../adapters/webhooks/send.ts";
import type { AlertStore } from "../domain/alerts.ts";
import { PetstoreError } from "../domain/errors.ts";
import type { EventStore } from "../domain/events.ts";
import type { Clock } from "../domain/time.ts";
import {
  afterExpiry,
  afterFailure,
  deliveryOf,
  type Endpoint,
  isDelivered,
  LEASE,
  type Message,
  messagesOf,
  type NewDelivery,
  receives,
  sourceOf,
  type WebhookConnections,
  type WebhookSender,
  type WebhookStore,
} from "../domain/webhooks.ts";
import type { BackgroundTask } from "./background-tasks.ts";
import type { Log } from "./log.ts";

/** How often endpoints are looked for that other processes have changed or no longer deliver, without any and otherwise, in ms. */
const IDLE_INTERVAL = 2_000;
const CLAIM_INTERVAL = 1_000;
/** How often it is checked whether a failed delivery is due again, in ms. */
const RETRY_INTERVAL = 100;
/** How many events are read at a time. */
const PAGE = 100;
/** How often a position is saved up to which all events were only skipped, in ms. */
const SKIPPED_INTERVAL = 60_000;
/** How long before its end a lease is no longer used, and how long a stop waits for answers, in ms. */
const LEASE_MARGIN = 1_000;
const STOP_TIMEOUT = 2_000;

type DeliveryParts = {
  webhooks: WebhookStore;
  events: EventStore;
  alerts: AlertStore;
  sender: WebhookSender;
  /** The name of this process among all that deliver. */
  process: string;
  clock: Clock;
  log: Log;
};

/** An endpoint that this process delivers. */
type Held = {
  endpoint: Endpoint;
  /** Until when its lease lasts (performance.now()). */
  until: number;
  /** Events after the position that were delivered, while an earlier one of another subject was not. */
  ahead: Set<number>;
  /** What was delivered, and is not stored yet. */
  unsaved: NewDelivery[];
  /** The position that is stored, and since when (performance.now()). */
  saved: { position: number; at: number };
  delivering: Promise<void> | undefined;
  /** Up to this id all events were read, or none had it. */
  seen: bigint;
};

/**
 * Delivers events to the endpoints that this process claims. Each is delivered by itself: the events of a subject one after the
 * other, those of different subjects together. Its position is saved once all events up to it were delivered.
 */
export class WebhookDeliveries {
  /** Attempts since the start. */
  readonly counts = { succeeded: 0, failed: 0 };
  readonly #parts: DeliveryParts;
  readonly #held = new Map<string, Held>();
  #claimAt = 0;
  /** Of the events and of the messages of alerts: their newest positions that are known. */
  readonly #newest = { events: 0n, alerts: 0n };
  #leave: (() => void) | undefined;
  #woken = Promise.withResolvers<void>();
  #isStopping = false;
  #errors: unknown[] = [];

  constructor(parts: DeliveryParts) {
    this.#parts = parts;
  }

  get task(): BackgroundTask {
    const every = () => {
      const isFailing = [...this.#held.values()].some(({ endpoint }) => endpoint.nextAttemptAt !== undefined);
      return isFailing ? RETRY_INTERVAL : this.#interval;
    };
    const woken = () => this.#woken.promise;
    return { name: "deliver_webhooks", every, woken, run: (signal) => this.#run(signal) };
  }

  /** The endpoints, for operators of this process: what they change takes effect at once. */
  get administered(): WebhookStore {
    const { webhooks } = this.#parts;
    const noticed = async <T>(change: Promise<T>): Promise<T> => {
      const result = await change;
      this.#claimAt = 0;
      this.#woken.resolve();
      return result;
    };
    return {
      ...webhooks,
      add: (...endpoint) => noticed(webhooks.add(...endpoint)),
      replace: (...endpoint) => noticed(webhooks.replace(...endpoint)),
      delete: (...endpoint) => noticed(webhooks.delete(...endpoint)),
    };
  }

  get #interval(): number {
    return this.#held.size === 0 ? IDLE_INTERVAL : CLAIM_INTERVAL;
  }

  /** @throws the first error of a delivery since the last run: the store failed. */
  async #run(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return this.#stop();
    this.#woken = Promise.withResolvers();
    // The state of an endpoint is read before it is delivered, so that a change of it takes effect.
    if (performance.now() >= this.#claimAt || this.#due().length > 0) await this.#claim();
    for (const held of this.#due()) held.delivering = this.#deliver(held);
    const [error] = this.#errors.splice(0);
    if (error !== undefined) throw error;
  }

  /** The endpoints that have something to deliver or to save now, and do not yet. */
  #due(): Held[] {
    return [...this.#held.values()].filter((held) => {
      const { position, nextAttemptAt = 0 } = held.endpoint;
      const newest = sourceOf(held.endpoint, this.#newest);
      const isBehind = position < newest && held.seen < newest && nextAttemptAt <= this.#parts.clock();
      return held.delivering === undefined && (isBehind || mustSave(held));
    });
  }

  async #stop(): Promise<void> {
    this.#isStopping = true;
    this.#leave?.();
    const delivering = [...this.#held.values()].map((held) => held.delivering);
    await Promise.race([Promise.all(delivering), pause(STOP_TIMEOUT)]);
    await this.#parts.webhooks.release(this.#parts.process);
  }

  async #claim(): Promise<void> {
    const now = performance.now();
    const claimed = await this.#parts.webhooks.claim(this.#parts.process);
    const ids = new Set(claimed.map(({ id }) => id));
    for (const id of this.#held.keys()) if (!ids.has(id)) this.#held.delete(id);
    const until = now + LEASE - LEASE_MARGIN;
    for (const endpoint of claimed) {
      const held = this.#held.get(endpoint.id);
      if (held === undefined) this.#held.set(endpoint.id, newlyHeld(endpoint, until));
      else held.until = until;
      // What is under way notices the change when it saves.
      if (held === undefined || held.delivering !== undefined || endpoint.revision <= held.endpoint.revision) continue;
      this.#held.set(endpoint.id, newlyHeld(endpoint, until));
    }
    this.#claimAt = now + this.#interval;
    await this.#follow();
  }

  /** Follows the feed while an endpoint does. There are few alerts: their position is read with the endpoints. */
  async #follow(): Promise<void> {
    const { events, alerts } = this.#parts;
    const followed = new Set([...this.#held.values()].map(({ endpoint }) => sourceOf(endpoint, this.#parts)));
    if (followed.has(alerts)) this.#newest.alerts = await alerts.newest();
    if (followed.has(events)) {
      this.#leave ??= events.follow((newest) => {
        this.#newest.events = newest;
        this.#woken.resolve();
      });
    } else {
      this.#leave?.();
      this.#leave = undefined;
    }
  }

  /** Delivers until there is nothing left, an attempt fails, or another process may deliver. */
  async #deliver(held: Held): Promise<void> {
    using connections = this.#parts.sender.connect();
    try {
      if (mustSave(held)) await this.#save(held);
      while (this.#mayDeliver(held) && (await this.#deliverPage(held, connections)));
      // What came meanwhile is due now.
      this.#woken.resolve();
    } catch (error) {
      this.#errors.push(error);
    } finally {
      held.delivering = undefined;
    }
  }

  #mayDeliver(held: Held): boolean {
    const { id, disabled, nextAttemptAt = 0 } = held.endpoint;
    const isHeld = this.#held.get(id) === held && performance.now() < held.until;
    return isHeld && !this.#isStopping && disabled === undefined && nextAttemptAt <= this.#parts.clock();
  }

  /** Delivers a page of events. Returns whether more may follow. */
  async #deliverPage(held: Held, connections: WebhookConnections): Promise<boolean> {
    const { clock } = this.#parts;
    const { endpoint, ahead } = held;
    const newest = sourceOf(endpoint, this.#newest);
    const page = await this.#page(held);
    if (page === undefined) return false;
    const due = page.filter((event) => receives(endpoint, event) && !ahead.has(event.id));
    // A receiver that has failed gets one event, until it accepts that.
    const tried = endpoint.failures > 0 ? due.slice(0, 1) : due;
    const failed = await this.#attempt(held, tried, connections);
    let { position } = endpoint;
    for (const event of page) {
      if (receives(endpoint, event) && !ahead.delete(event.id)) break;
      position = event.id;
    }
    const hasMoved = position !== endpoint.position;
    const progress = { position, failures: hasMoved ? 0 : endpoint.failures };
    const { nextAttemptAt, disabled, ...others } = endpoint;
    const after = failed === undefined ? progress : afterFailure(progress, failed, clock());
    held.endpoint = { ...others, ...after };
    const isOver = page.length < PAGE && position >= (page.at(-1)?.id ?? position);
    if (isOver) held.seen = newest;
    // What was only skipped is saved later.
    if (tried.length === 0 && page.length < PAGE) return false;
    // What comes later is delivered after the endpoint was read again, so that a change of it holds for all that follows.
    return (await this.#save(held)) && failed === undefined && !isOver;
  }

  /** The events that follow; undefined once they are no longer kept: then the endpoint is disabled. */
  async #page(held: Held): Promise<Message[] | undefined> {
    try {
      return await messagesOf(held.endpoint, this.#parts, { after: BigInt(held.endpoint.position), limit: PAGE });
    } catch (error) {
      if (!(error instanceof PetstoreError) || error.code !== "position_expired") throw error;
      held.endpoint = { ...held.endpoint, ...afterExpiry(held.endpoint, this.#parts.clock()) };
      await this.#save(held);
      return undefined;
    }
  }

  /** Tries events, those of each subject in order, until one fails. Returns the first failure. */
  async #attempt(held: Held, tried: Message[], connections: WebhookConnections): Promise<NewDelivery | undefined> {
    const { endpoint, ahead, unsaved } = held;
    const { clock } = this.#parts;
    const subjects = [...Map.groupBy(tried, ({ subject }) => subject).values()];
    const failures = new Map<number, NewDelivery>();
    const work = async () => {
      for (let events = subjects.shift(); events !== undefined; events = subjects.shift()) {
        for (const event of events) {
          if (failures.size > 0 || !this.#mayDeliver(held)) return;
          const [at, startedAt] = [clock(), performance.now()];
          const outcome = await connections.send(deliveryOf(endpoint, event, at));
          const milliseconds = Math.round(performance.now() - startedAt);
          const attempt = endpoint.failures + 1;
          const delivery = { ...outcome, eventId: event.id, type: event.type, at, attempt, milliseconds };
          unsaved.push(delivery);
          if (isDelivered(outcome)) ahead.add(event.id);
          else failures.set(event.id, delivery);
          this.counts[isDelivered(outcome) ? "succeeded" : "failed"] += 1;
        }
      }
    };
    await Promise.all(Array.from({ length: MAX_CONNECTIONS }, work));
    return failures.get(Math.min(...failures.keys()));
  }

  /** Saves how far an endpoint has got. Returns whether this process still delivers it. */
  async #save(held: Held): Promise<boolean> {
    const { webhooks, process, log } = this.#parts;
    const { endpoint } = held;
    const saved = held.unsaved.slice();
    const isHeld = await webhooks.record(process, endpoint, saved);
    held.unsaved.splice(0, saved.length);
    if (!isHeld) {
      this.#held.delete(endpoint.id);
      this.#claimAt = 0;
      return false;
    }
    held.endpoint = { ...endpoint, revision: endpoint.revision + 1 };
    held.saved = { position: endpoint.position, at: performance.now() };
    const { id, url, disabled } = endpoint;
    if (disabled === undefined) return true;
    log.error({ endpoint: id, host: new URL(url).host, reason: disabled.reason }, "a webhook endpoint is disabled");
    return false;
  }
}

function newlyHeld(endpoint: Endpoint, until: number): Held {
  const saved = { position: endpoint.position, at: performance.now() };
  return { endpoint, until, ahead: new Set(), unsaved: [], saved, delivering: undefined, seen: 0n };
}

/** Whether something is to be stored before anything is delivered: what could not be stored, or was skipped a while ago. */
function mustSave({ endpoint, unsaved, saved }: Held): boolean {
  if (unsaved.length > 0 || endpoint.disabled !== undefined) return true;
  return endpoint.position > saved.position && performance.now() > saved.at + SKIPPED_INTERVAL;
}
