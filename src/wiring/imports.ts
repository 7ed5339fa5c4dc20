import {
  type Accepted,
  type Entry,
  FileError,
  isAccepted,
  isRejected,
  type ReadableContent,
  type Rejected,
  rejected,
} from "../adapters/files/content.ts";
import { InputStopped, smallChunks } from "../adapters/files/input.ts";
import { type CategoryLine, categoryLines, newPets, type PetChange, petChanges } from "../adapters/files/items.ts";
import { readItems } from "../adapters/files/read.ts";
import { MAX_BODY_BYTES } from "../adapters/http/body.ts";
import type { Action, AuditLog, Author, NewAuditEntry } from "../domain/audit.ts";
import { type CategoryStore, unknownCategory } from "../domain/categories.ts";
import { PetstoreError } from "../domain/errors.ts";
import type { Format, ImportOutcome } from "../domain/files.ts";
import { randomBase62 } from "../domain/keys/secret.ts";
import { BATCH, type BulkPets, isSame, type NewPet, type PetStore } from "../domain/pets.ts";
import { type Shop, sampleCategories } from "../domain/shop.ts";
import type { Clock } from "../domain/time.ts";

/**
 * Makes a change for each line: at most `atOnce` at once, and never two of one id. Returns the results, and the lines whose
 * change was refused, with the reason. @throws service_unavailable
 */
async function makeChanges<Item extends { id?: bigint | undefined }, Result>(
  entries: Accepted<Item>[],
  atOnce: number,
  change: (item: Item) => Promise<Result>,
): Promise<{ results: Result[]; rejected: Rejected[] }> {
  const results: Result[] = [];
  const refused: Rejected[] = [];
  for (const group of groupsOf(entries, atOnce)) {
    const outcomes = await Promise.allSettled(group.map(({ item }) => change(item)));
    for (const [i, entry] of group.entries()) {
      const outcome = outcomes[i];
      if (outcome?.status === "fulfilled") results.push(outcome.value);
      else refused.push(rejected(entry, refusalIn(outcome?.reason)));
    }
  }
  return { results, rejected: refused };
}

/** Divides lines into groups of at most `size` consecutive ones, with different ids. */
function groupsOf<Item extends { id?: bigint | undefined }>(
  entries: Accepted<Item>[],
  size: number,
): Accepted<Item>[][] {
  const groups: Accepted<Item>[][] = [];
  let group: Accepted<Item>[] = [];
  for (const entry of entries) {
    const { id } = entry.item;
    if (group.length === size || (id !== undefined && group.some(({ item }) => item.id === id))) {
      groups.push(group);
      group = [];
    }
    group.push(entry);
  }
  return group.length === 0 ? groups : [...groups, group];
}

/** Why a change was refused. @throws what is no refusal */
function refusalIn(error: unknown): string {
  if (error instanceof PetstoreError && !error.isFailure) return error.message;
  throw error;
}

/** What became of some lines of a file, with the bytes of those that were rejected. */
type Outcome = ImportOutcome & { rejected: Rejected[] };

/** The outcome of the lines of a file up to `line`. */
export type ImportBatch = Outcome & { line: number };

/** Imports valid lines, the last of which is `line`. */
type Apply<Item> = (entries: Accepted<Item>[], line: number) => Promise<Outcome>;

/** The bytes of lines that a batch may hold, so that memory is bounded. */
const MOST_BYTES = 256 * 1024;

/**
 * Imports the items of a file in batches, until it ends or is stopped, and yields the outcome of each. A line may be as long
 * as a request body. @throws FileError, service_unavailable; earlier batches stay imported
 */
async function* importItems<Item>(
  chunks: AsyncIterable<Uint8Array>,
  format: Format,
  content: ReadableContent<Item>,
  apply: Apply<Item>,
): AsyncGenerator<ImportBatch> {
  let waiting: Entry<Item>[] = [];
  let bytes = 0;
  try {
    for await (const entries of readItems(smallChunks(chunks), format, content, { maxBytes: MAX_BODY_BYTES })) {
      waiting.push(...entries);
      bytes += entries.reduce((sum, entry) => sum + entry.bytes.length, 0);
      if (waiting.length < BATCH && bytes < MOST_BYTES) continue;
      yield await importBatch(waiting, apply);
      waiting = [];
      bytes = 0;
    }
  } catch (error) {
    if (!(error instanceof InputStopped)) throw error;
  }
  if (waiting.length > 0) yield await importBatch(waiting, apply);
}

async function importBatch<Item>(entries: Entry<Item>[], apply: Apply<Item>): Promise<ImportBatch> {
  const line = entries.at(-1)?.line ?? 0;
  const outcome = await apply(entries.filter(isAccepted), line);
  const rejected = [...entries.filter(isRejected), ...outcome.rejected].toSorted((a, b) => a.line - b.line);
  return { ...outcome, rejected, line };
}

/** Yields the same batches. Turns a FileError into validation_failed, for a file that is a request body. */
export async function* withValidationErrors(batches: AsyncGenerator<ImportBatch>): AsyncGenerator<ImportBatch> {
  try {
    yield* batches;
  } catch (error) {
    throw error instanceof FileError ? new PetstoreError("validation_failed", { message: error.message }) : error;
  }
}

/** Where pets are imported to, and on whose behalf. */
type PetImportTarget = {
  pets: PetStore;
  bulk: BulkPets;
  categories: CategoryStore;
  audit: AuditLog;
  /** Whether a pet can only get a category that exists. */
  checksCategories: boolean;
  author: Author;
  clock: Clock;
};

/**
 * With `replace` a line that has an id changes that pet; without, ids are ignored. Pets that a delivered order has sold stay
 * sold unless `replaceStatus`: the file may be older than the order.
 */
type PetImportOptions = {
  format: Format;
  replace?: boolean | undefined;
  replaceStatus?: boolean | undefined;
};

/** The changes of pets that are made at once: on SQLite they share a commit; on PostgreSQL requests of clients wait for them. */
const CHANGES_AT_ONCE = 20;

/**
 * An import of pets; see `importItems`. It has an audit entry before its first batch, one in the transaction that adds the
 * pets of a batch, with the counts so far, and one when it has ended or failed. All have the same target. Each pet that it
 * changes has an entry of its own.
 */
export class PetImport {
  readonly #target: PetImportTarget;
  readonly #id = `import_${randomBase62(16)}`;
  readonly #result = { imported: 0, changed: 0, statusKept: 0, rejected: 0, isWhole: false };

  constructor(target: PetImportTarget) {
    this.#target = target;
  }

  async *run(
    chunks: AsyncIterable<Uint8Array>,
    { format, replace = false, replaceStatus = false }: PetImportOptions,
  ): AsyncGenerator<ImportBatch> {
    const { audit } = this.#target;
    const options = { format, ...(replace && { replace, replaceStatus }) };
    const batches = replace
      ? importItems(chunks, format, petChanges, (entries, line) => this.#addAndChange(entries, line, !replaceStatus))
      : importItems(chunks, format, newPets, (entries, line) => this.#add(entries, line));
    await audit.append(this.#entry("pets.import.begin", options));
    try {
      for await (const batch of batches) {
        this.#result.imported += batch.added;
        this.#result.changed += batch.changed;
        this.#result.statusKept += batch.statusKept ?? 0;
        this.#result.rejected += batch.rejected.length;
        yield batch;
      }
      this.#result.isWhole = true;
    } finally {
      const { changed, statusKept, ...result } = this.#result;
      await audit.append(this.#entry("pets.import.end", { ...result, ...(replace && { changed, statusKept }) }));
    }
  }

  async #addAndChange(entries: Accepted<NewPet | PetChange>[], line: number, keepsSold: boolean): Promise<Outcome> {
    const added = await this.#add(entries.filter(isNew), line);
    const change = (item: PetChange) => this.#change(item, keepsSold);
    const changes = await makeChanges(entries.filter(isChange), CHANGES_AT_ONCE, change);
    const changed = changes.results.filter(({ hasChanged }) => hasChanged).length;
    return {
      added: added.added,
      changed,
      unchanged: changes.results.length - changed,
      statusKept: changes.results.filter(({ staysSold }) => staysSold).length,
      rejected: [...added.rejected, ...changes.rejected],
    };
  }

  async #add(entries: Accepted<NewPet>[], line: number): Promise<Outcome> {
    const { checksCategories, bulk } = this.#target;
    const categories = await this.#categoriesOf(entries);
    const isKnown = ({ item }: Accepted<NewPet>) => !checksCategories || categories.includes(item.categoryId);
    const pets = entries.filter(isKnown).map(({ item }) => item);
    const after = { imported: this.#result.imported + pets.length, line };
    if (pets.length > 0 && !(await bulk.add(pets, this.#entry("pets.import.batch", after), categories))) {
      // One of the categories was removed in the meantime.
      return this.#add(entries, line);
    }
    const refused = entries.filter((entry) => !isKnown(entry));
    return {
      added: pets.length,
      changed: 0,
      unchanged: 0,
      rejected: refused.map((entry) => rejected(entry, unknownCategory().message)),
    };
  }

  /** Returns whether the pet was changed, as it may have all that the line says; and whether it stays sold nevertheless. */
  async #change({ id, ...patch }: PetChange, keepsSold: boolean): Promise<{ hasChanged: boolean; staysSold: boolean }> {
    const { pets, author, clock } = this.#target;
    const pet = await pets.get(id);
    if (pet !== undefined && isSame(pet, patch)) return { hasChanged: false, staysSold: false };
    const after = await pets.update(id, patch, { by: author, now: clock(), keepsSold });
    return { hasChanged: after.version !== pet?.version, staysSold: !isSame(after, patch) };
  }

  /** Returns the categories of these pets that exist; none unless that is checked. */
  async #categoriesOf(entries: Accepted<NewPet>[]): Promise<bigint[]> {
    const { checksCategories, categories } = this.#target;
    const ids = [...new Set(checksCategories ? entries.map(({ item }) => item.categoryId) : [])];
    const found = ids.length === 0 ? [] : await categories.list({ ids, limit: ids.length });
    return found.map(({ id }) => id);
  }

  #entry(action: Action, after: object): NewAuditEntry {
    const { author, clock } = this.#target;
    return { ...author, at: clock(), action, target: this.#id, after };
  }
}

function isChange(entry: Accepted<NewPet | PetChange>): entry is Accepted<PetChange> {
  return "id" in entry.item;
}

function isNew(entry: Accepted<NewPet | PetChange>): entry is Accepted<NewPet> {
  return !("id" in entry.item);
}

/** Where categories are imported to. */
type CategoryImportTarget = {
  categories: CategoryStore;
  author: Author;
  clock: Clock;
};

type Result = "added" | "changed" | "unchanged";

/**
 * Imports the categories of a file, line by line, because a name may be free only after an earlier line: creates or renames
 * the one with the id of a line, or creates one under a new id. See `importItems`.
 */
export function importCategories(
  target: CategoryImportTarget,
  chunks: AsyncIterable<Uint8Array>,
  format: Format,
): AsyncGenerator<ImportBatch> {
  return importItems(chunks, format, categoryLines, async (entries) => {
    const { results, rejected } = await makeChanges(entries, 1, (line) => importCategory(target, line));
    const count = (wanted: Result) => results.filter((result) => result === wanted).length;
    return { added: count("added"), changed: count("changed"), unchanged: count("unchanged"), rejected };
  });
}

async function importCategory(
  { categories, author, clock }: CategoryImportTarget,
  { id, name }: CategoryLine,
): Promise<Result> {
  if (id === undefined) {
    await categories.create({ name }, { by: author, now: clock() });
    return "added";
  }
  const before = await categories.get(id);
  if (before?.name === name) return "unchanged";
  await categories.put({ id, name }, { by: author, now: clock() });
  return before === undefined ? "added" : "changed";
}

/** The most pets of a file: while they are added, in one transaction, others wait to write. */
export const MAX_SEED_PETS = 10_000;

type SeedFile = { chunks: AsyncIterable<Uint8Array>; format: Format };

/**
 * Reads a file of pets, as an import takes it, as a shop with the sample categories and without orders.
 * @throws validation_failed when a line is invalid, there are too many pets, or `checksCategories` and a category is none
 * of the sample's
 */
export async function readSeedFile({ chunks, format }: SeedFile, checksCategories: boolean): Promise<Shop> {
  const pets: NewPet[] = [];
  try {
    for await (const entries of readItems(smallChunks(chunks), format, newPets, { maxBytes: MAX_BODY_BYTES })) {
      for (const entry of entries) {
        if (isRejected(entry)) throw invalid(`Line ${entry.line}: ${entry.reason}`);
        if (checksCategories && !isSampleCategory(entry.item.categoryId)) {
          throw invalid(`Line ${entry.line}: categoryId must be that of a sample category.`);
        }
        if (pets.push(entry.item) > MAX_SEED_PETS) throw invalid(tooMany());
      }
    }
  } catch (error) {
    throw error instanceof FileError ? invalid(error.message) : error;
  }
  return { categories: sampleCategories, pets, orders: [] };
}

function tooMany(): string {
  return `The file has more than ${MAX_SEED_PETS.toLocaleString("en")} pets. Import the others afterwards.`;
}

function isSampleCategory(id: bigint): boolean {
  return sampleCategories.some((category) => category.id === id);
}

function invalid(reason: string): PetstoreError {
  return new PetstoreError("validation_failed", { message: `${reason} Nothing was changed.` });
}
