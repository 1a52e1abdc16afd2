/** IndexedDB of this origin: keys that scripts cannot read, and the session. Where a browser keeps nothing, memory does until a reload. */
const NAME = 'countersign.console';
const STORE = 'kept';

const done = <T>(request: IDBRequest<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });

let database: Promise<IDBDatabase | undefined> | undefined;
const memory = new Map<string, unknown>();

function opened(): Promise<IDBDatabase | undefined> {
  const open = async () => {
    const request = indexedDB.open(NAME, 1);
    request.onupgradeneeded = () => request.result.createObjectStore(STORE);
    return done(request);
  };
  database ??= open().catch(() => undefined);
  return database;
}

async function within<T>(mode: IDBTransactionMode, work: (store: IDBObjectStore) => IDBRequest<T>): Promise<T | undefined> {
  const run = async () => {
    const open = await opened();
    return open && done(work(open.transaction(STORE, mode).objectStore(STORE)));
  };
  // A browser that clears its data closes what is open.
  return run().catch(() => {
    database = undefined;
    return run();
  });
}

export async function keep(name: string, value: unknown): Promise<void> {
  memory.set(name, value);
  await within('readwrite', (store) => store.put(value, name));
}

export async function kept<T>(name: string): Promise<T | undefined> {
  const found = await within('readonly', (store) => store.get(name) as IDBRequest<T>);
  return (await opened()) === undefined ? (memory.get(name) as T | undefined) : found;
}

/** Of all names that begin so. */
export async function keptBelow<T>(prefix: string): Promise<T[]> {
  const range = IDBKeyRange.bound(prefix, `${prefix}\uffff`);
  const found = await within('readonly', (store) => store.getAll(range) as IDBRequest<T[]>);
  return found ?? [...memory].flatMap(([name, value]) => (name.startsWith(prefix) ? [value as T] : []));
}

export async function forget(name: string): Promise<void> {
  memory.delete(name);
  await within('readwrite', (store) => store.delete(name));
}
