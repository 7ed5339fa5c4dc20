import {
  type Accepted,
  type Entry,
  FileError,
  isAccepted,
  isRejected,
  type ReadableContent,
  rejected,
} from "../adapters/files/content.ts";
import { InputStopped, smallChunks } from "../adapters/files/input.ts";
import { type CategoryLine, categoryLines, newPets, type PetChange, petChanges } from "../adapters/files/items.ts";
import { type Reading, readItems } from "../adapters/files/read.ts";
import { MAX_BODY_BYTES } from "../adapters/http/request.ts";
import type { AuditLog, Author, NewAuditEntry } from "../domain/audit.ts";
import { type CategoryStore, unknownCategory } from "../domain/categories.ts";
import { PetstoreError } from "../domain/errors.ts";
import { addUp, type Format, type ImportBatch, type ImportOutcome, noLines, type Rejected } from "../domain/files.ts";
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

/** Where an import is written to, and on whose behalf. */
type ImportTarget = { audit: AuditLog; author: Author; clock: Clock };

/**
 * How to read the file. Lines before `fromLine`, with which an earlier import ended, are left out. `preview`: the same file, which is
 * read to its end first, so that nothing is imported of one that is refused. `file`: its name, for the audit log.
 */
type ImportOptions = {
  format: Format;
  fromLine?: number | undefined;
  preview?: AsyncIterable<Uint8Array> | undefined;
  file?: string;
};

/** What an import makes of its lines. */
type Items<Item> = {
  noun: "pets" | "categories";
  content: ReadableContent<Item>;
  /** The most lines of a batch. */
  size: number;
  /** What the audit log says beside the format. */
  options?: object;
  /** Makes the changes of valid lines. `entry` is for the transaction with which they have that outcome. */
  apply: (lines: Accepted<Item>[], entry: (outcome: ImportOutcome) => NewAuditEntry) => Promise<ImportOutcome>;
};

/** A line may be as long as a request body. */
const maxBytes = MAX_BODY_BYTES;
/** The bytes of lines that a batch may hold, so that memory is bounded. */
const MOST_BYTES = 256 * 1024;

/**
 * Imports the items of a file in batches, until it ends or is stopped, and yields the outcome of each. The audit log gets one entry,
 * with what the import has done, once it ends. Until then that is kept beside the log: at the begin, in the transaction of each
 * batch that adds pets, and after so many other changes. @throws FileError, service_unavailable; earlier batches stay imported
 */
async function* importItems<Item>(
  { audit, author, clock }: ImportTarget,
  chunks: AsyncIterable<Uint8Array>,
  { format, fromLine = 1, preview, file }: ImportOptions,
  { noun, content, size, options, apply }: Items<Item>,
): AsyncGenerator<ImportBatch> {
  if (preview !== undefined) await requireReadable(preview, format, content, fromLine);
  const importId = `import_${randomBase62(16)}`;
  const read = { ...(file !== undefined && { file }), format, ...options, ...(fromLine > 1 && { fromLine }) };
  let [counts, line, keptLine, isWhole] = [noLines, fromLine - 1, fromLine - 1, false];
  const entry = (done = counts, end = line): NewAuditEntry => {
    const after = { ...read, ...done, line: end, isWhole };
    return { ...author, at: clock(), action: `${noun}.import`, target: importId, after };
  };
  let header = new Uint8Array();
  const onHeader = (bytes: Uint8Array) => {
    header = Uint8Array.from(bytes);
  };
  await audit.keepImport(entry());
  try {
    for await (const lines of batchesOf(smallChunks(chunks), { format, fromLine, onHeader }, content, size)) {
      const end = lines.at(-1)?.end ?? line;
      const outcomeWith = (part: ImportOutcome): ImportOutcome => {
        const refused = [...lines.filter(isRejected), ...part.rejected];
        return { ...part, rejected: refused.toSorted((a, b) => a.line - b.line) };
      };
      const keep = (part: ImportOutcome) => {
        keptLine = end;
        return entry(addUp(counts, outcomeWith(part)), end);
      };
      const outcome = outcomeWith(await apply(lines.filter(isAccepted), keep));
      [counts, line] = [addUp(counts, outcome), end];
      if (line >= keptLine + BATCH) {
        await audit.keepImport(entry());
        keptLine = line;
      }
      yield { ...outcome, counts, importId, line, header };
    }
    isWhole = true;
  } catch (error) {
    if (!(error instanceof InputStopped)) throw error;
  } finally {
    await audit.append(entry());
  }
}

/** Reads a file to its end, unless it is stopped. @throws FileError */
async function requireReadable<Item>(
  chunks: AsyncIterable<Uint8Array>,
  format: Format,
  content: ReadableContent<Item>,
  fromLine: number,
): Promise<void> {
  try {
    for await (const _ of readItems(chunks, format, content, { maxBytes, fromLine }));
  } catch (error) {
    if (!(error instanceof InputStopped)) throw error;
  }
}

/** Yields the lines of a file in batches, also the last ones when the input is stopped. @throws FileError, InputStopped */
async function* batchesOf<Item>(
  chunks: AsyncIterable<Uint8Array>,
  { format, ...reading }: Omit<Reading, "maxBytes"> & { format: Format },
  content: ReadableContent<Item>,
  size: number,
): AsyncGenerator<Entry<Item>[]> {
  let waiting: Entry<Item>[] = [];
  let bytes = 0;
  let stopped: InputStopped | undefined;
  try {
    for await (const entries of readItems(chunks, format, content, { maxBytes, ...reading })) {
      for (const entry of entries) {
        waiting.push(entry);
        bytes += entry.bytes.length;
        if (waiting.length < size && bytes < MOST_BYTES) continue;
        yield waiting;
        waiting = [];
        bytes = 0;
      }
    }
  } catch (error) {
    if (!(error instanceof InputStopped)) throw error;
    stopped = error;
  }
  if (waiting.length > 0) yield waiting;
  if (stopped !== undefined) throw stopped;
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
type PetImportTarget = ImportTarget & {
  pets: PetStore;
  bulk: BulkPets;
  categories: CategoryStore;
  /** Whether a pet can only get a category that exists. */
  checksCategories: boolean;
};

/**
 * With `replace` a line that has an id changes that pet; without, ids are ignored. Pets that a delivered order has sold stay
 * sold unless `replaceStatus`: the file may be older than the order.
 */
type PetImportOptions = ImportOptions & { replace?: boolean | undefined; replaceStatus?: boolean | undefined };

/** The changes of pets that are made at once: on SQLite they share a commit; on PostgreSQL requests of clients wait for them. */
const CHANGES_AT_ONCE = 20;

/** Imports pets; see `importItems`. */
export function importPets(
  target: PetImportTarget,
  chunks: AsyncIterable<Uint8Array>,
  { replace = false, replaceStatus = false, ...options }: PetImportOptions,
): AsyncGenerator<ImportBatch> {
  if (!replace) {
    const apply: Items<NewPet>["apply"] = (lines, entry) => addPets(target, lines, entry);
    return importItems(target, chunks, options, { noun: "pets", content: newPets, size: BATCH, apply });
  }
  return importItems(target, chunks, options, {
    noun: "pets",
    content: petChanges,
    size: BATCH,
    options: { replace, replaceStatus },
    apply: async (lines, entry) => {
      const change = (item: PetChange) => changePet(target, item, !replaceStatus);
      // First what may be done again: if this fails, the import goes on with these lines.
      const changes = await makeChanges(lines.filter(isChange), CHANGES_AT_ONCE, change);
      const changed = changes.results.filter(({ hasChanged }) => hasChanged).length;
      const outcomeWith = (added: ImportOutcome) => ({
        added: added.added,
        changed,
        unchanged: changes.results.length - changed,
        statusKept: changes.results.filter(({ staysSold }) => staysSold).length,
        rejected: [...added.rejected, ...changes.rejected],
      });
      return outcomeWith(await addPets(target, lines.filter(isNew), (added) => entry(outcomeWith(added))));
    },
  });
}

async function addPets(
  target: PetImportTarget,
  lines: Accepted<NewPet>[],
  entry: (outcome: ImportOutcome) => NewAuditEntry,
): Promise<ImportOutcome> {
  const { checksCategories, bulk } = target;
  const categories = await categoriesOf(target, lines);
  const isKnown = ({ item }: Accepted<NewPet>) => !checksCategories || categories.includes(item.categoryId);
  const pets = lines.filter(isKnown).map(({ item }) => item);
  const refused = lines.filter((line) => !isKnown(line));
  const outcome = {
    added: pets.length,
    changed: 0,
    unchanged: 0,
    rejected: refused.map((line) => rejected(line, unknownCategory().message)),
  };
  if (pets.length === 0 || (await bulk.add(pets, entry(outcome), categories))) return outcome;
  // One of the categories was removed in the meantime.
  return addPets(target, lines, entry);
}

/** Returns whether the pet was changed, as it may have all that the line says; and whether it stays sold nevertheless. */
async function changePet(
  { pets, author, clock }: PetImportTarget,
  { id, ...patch }: PetChange,
  keepsSold: boolean,
): Promise<{ hasChanged: boolean; staysSold: boolean }> {
  const pet = await pets.get(id);
  if (pet !== undefined && isSame(pet, patch)) return { hasChanged: false, staysSold: false };
  const after = await pets.update(id, patch, { requestId: author.requestId, now: clock(), keepsSold });
  return { hasChanged: after.version !== pet?.version, staysSold: !isSame(after, patch) };
}

/** Returns the categories of these pets that exist; none unless that is checked. */
async function categoriesOf(
  { checksCategories, categories }: PetImportTarget,
  lines: Accepted<NewPet>[],
): Promise<bigint[]> {
  const ids = [...new Set(checksCategories ? lines.map(({ item }) => item.categoryId) : [])];
  const found = ids.length === 0 ? [] : await categories.list({ ids, limit: ids.length });
  return found.map(({ id }) => id);
}

function isChange(entry: Accepted<NewPet | PetChange>): entry is Accepted<PetChange> {
  return "id" in entry.item;
}

function isNew(entry: Accepted<NewPet | PetChange>): entry is Accepted<NewPet> {
  return !("id" in entry.item);
}

/** Where categories are imported to. */
type CategoryImportTarget = ImportTarget & { categories: CategoryStore };

type Result = "added" | "changed" | "unchanged";

/**
 * Imports the categories of a file, line by line, because a name may be free only after an earlier line: creates or renames
 * the one with the id of a line, or creates one under a new id. See `importItems`.
 */
export function importCategories(
  target: CategoryImportTarget,
  chunks: AsyncIterable<Uint8Array>,
  options: ImportOptions,
): AsyncGenerator<ImportBatch> {
  return importItems(target, chunks, options, {
    noun: "categories",
    content: categoryLines,
    size: 1,
    apply: async (lines) => {
      const { results, rejected } = await makeChanges(lines, 1, (line) => importCategory(target, line));
      const count = (wanted: Result) => results.filter((result) => result === wanted).length;
      return { added: count("added"), changed: count("changed"), unchanged: count("unchanged"), rejected };
    },
  });
}

async function importCategory(
  { categories, author, clock }: CategoryImportTarget,
  { id, name }: CategoryLine,
): Promise<Result> {
  const { requestId } = author;
  if (id === undefined) {
    await categories.create({ name }, { requestId, now: clock() });
    return "added";
  }
  const before = await categories.get(id);
  if (before?.name === name) return "unchanged";
  await categories.put({ id, name }, { requestId, now: clock() });
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
    for await (const entries of readItems(smallChunks(chunks), format, newPets, { maxBytes })) {
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
