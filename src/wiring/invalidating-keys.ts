import type { KeyStore } from "../domain/keys/store.ts";

/** The same store, which calls `forget` after each change of a key, also one whose outcome is unknown. */
export function invalidatingKeys(keys: KeyStore, forget: (keyId: string) => void): KeyStore {
  const after = <T>(keyId: string, change: Promise<T>) => change.finally(() => forget(keyId));
  return {
    findBySecret: (hash) => keys.findBySecret(hash),
    get: (id) => keys.get(id),
    list: (page, now) => keys.list(page, now),
    listCounted: (page, now, most) => keys.listCounted(page, now, most),
    counts: (now) => keys.counts(now),
    isEmpty: () => keys.isEmpty(),
    add: (key, secret, entry) => keys.add(key, secret, entry),
    replace: (key, version, entry) => after(key.id, keys.replace(key, version, entry)),
    addSecret: (secret, othersExpireAt, entry) => after(secret.keyId, keys.addSecret(secret, othersExpireAt, entry)),
    endGrace: (keyId, at, entry) => after(keyId, keys.endGrace(keyId, at, entry)),
    countSimulated: async (keyId, simulation) => {
      const position = await keys.countSimulated(keyId, simulation);
      // Its simulation is over. Otherwise what is known of the key still holds.
      if (position === undefined) forget(keyId);
      return position;
    },
  };
}
