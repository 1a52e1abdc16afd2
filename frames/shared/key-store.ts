/// <reference lib="dom" />
import { sameBytes } from '../../src/base/bytes.ts';
import { newWebKey, type WebKey } from '../../src/bundles/web-hpke.ts';

const TTL_MS = 48 * 60 * 60 * 1000;
const LONGEST_TTL_MS = 30 * 24 * 60 * 60 * 1000;
const STORE = 'keys';
const KEY = 'embedded';

type Kept = WebKey & { expiresMs: number };

const done = <T>(request: IDBRequest<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });

function opened(name: string): Promise<IDBDatabase> {
  const request = indexedDB.open(name, 1);
  request.onupgradeneeded = () => request.result.createObjectStore(STORE);
  return done(request);
}

/** `ttlMs`: of the app, if it is a number of milliseconds. */
const ttlOf = (ttlMs: unknown): number => (typeof ttlMs === 'number' && ttlMs > 0 ? Math.min(ttlMs, LONGEST_TTL_MS) : TTL_MS);

const alive = (kept: Kept | undefined): Kept | undefined =>
  kept !== undefined && kept.expiresMs > Date.now() ? kept : undefined;

export type KeyStore = {
  /** The key if there is one that has not expired. */
  find(): Promise<WebKey | undefined>;
  /** The key, made if there is none. */
  demand(ttlMs?: unknown): Promise<WebKey>;
  remove(): Promise<void>;
};

/**
 * The key of one page to which bundles are sealed. It is kept in IndexedDB of the page's own origin, where no script can read its private
 * half. Where a browser keeps nothing, it lasts as long as the page.
 */
export function keyStore(page: string): KeyStore {
  let database: Promise<IDBDatabase | undefined> | undefined;
  /** As the app knows it. An export or a reset in another tab removes the kept one. Bundles for this one may be on their way. */
  let own: Kept | undefined;

  /** In one transaction, so that two pages of one browser have one key. Undefined where a browser keeps nothing. */
  async function within<T>(work: (store: IDBObjectStore, kept: Kept | undefined) => T | Promise<T>): Promise<T | undefined> {
    // On first use: a page in a wrong place touches no storage.
    database ??= opened(`countersign.frames.${page}`).catch(() => undefined);
    const store = (await database)?.transaction(STORE, 'readwrite').objectStore(STORE);
    return store && work(store, await done(store.get(KEY)));
  }

  async function find(): Promise<Kept | undefined> {
    own = alive(own);
    own ??= await within((store, kept) => {
      if (kept !== undefined && alive(kept) === undefined) store.delete(KEY);
      return alive(kept);
    });
    return own;
  }

  return {
    find,
    async demand(ttlMs) {
      const found = await find();
      if (found !== undefined) return found;
      // Before the transaction, which does not wait for other work.
      const made: Kept = { ...(await newWebKey()), expiresMs: Date.now() + ttlOf(ttlMs) };
      const kept = await within(async (store, other) => {
        if (alive(other) !== undefined) return other;
        await done(store.put(made, KEY));
        return made;
      });
      own = kept ?? made;
      return own;
    },
    async remove() {
      const gone = own;
      own = undefined;
      await within(async (store, kept) => {
        const isOther = kept !== undefined && gone !== undefined && !sameBytes(kept.publicKey, gone.publicKey);
        if (!isOther) await done(store.delete(KEY));
      });
    },
  };
}
