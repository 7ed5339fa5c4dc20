import { type Accepted, type Format, rejected } from "../adapters/files/content.ts";
import { newPets, type PetChange, petChanges } from "../adapters/files/items.ts";
import type { Action, AuditLog, Author, NewAuditEntry } from "../domain/audit.ts";
import type { CategoryStore } from "../domain/categories.ts";
import { randomBase62 } from "../domain/keys/key.ts";
import { type BulkPets, isSame, type NewPet, PetAdministration, type PetStore } from "../domain/pets.ts";
import type { Clock } from "../domain/time.ts";
import { makeChanges } from "./import-changes.ts";
import { type Batch, importItems, type Outcome } from "./import-items.ts";

/** Where pets are imported to, and on whose behalf. */
export type PetImportTarget = {
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
export type PetImportOptions = {
  format: Format;
  replace?: boolean | undefined;
  replaceStatus?: boolean | undefined;
};

/** The changes of pets that are made at once: on SQLite they share a commit; on PostgreSQL requests of clients wait for them. */
const CHANGES_AT_ONCE = 20;

const UNKNOWN_CATEGORY = "categoryId must be the id of a category.";

/**
 * An import of pets; see `importItems`. It has an audit entry before its first batch, one in the transaction that adds the
 * pets of a batch, with the counts so far, and one when it has ended or failed. All have the same target. Each pet that it
 * changes has an entry of its own.
 */
export class PetImport {
  readonly #target: PetImportTarget;
  readonly #administration: PetAdministration;
  readonly #id = `import_${randomBase62(16)}`;
  readonly #result = { imported: 0, changed: 0, statusKept: 0, rejected: 0, isWhole: false };

  constructor(target: PetImportTarget) {
    this.#target = target;
    this.#administration = new PetAdministration(target.pets, target.author);
  }

  async *run(
    chunks: AsyncIterable<Uint8Array>,
    { format, replace = false, replaceStatus = false }: PetImportOptions,
  ): AsyncGenerator<Batch> {
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
      rejected: refused.map(({ line, bytes }) => rejected(line, UNKNOWN_CATEGORY, bytes)),
    };
  }

  /** Returns whether the pet was changed, as it may have all that the line says; and whether it stays sold nevertheless. */
  async #change({ id, ...patch }: PetChange, keepsSold: boolean): Promise<{ hasChanged: boolean; staysSold: boolean }> {
    const pet = await this.#target.pets.get(id);
    if (pet !== undefined && isSame(pet, patch)) return { hasChanged: false, staysSold: false };
    const after = await this.#administration.update(id, patch, this.#target.clock(), { keepsSold });
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
