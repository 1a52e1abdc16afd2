import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../../base/clock.ts';
import type { KeyRing } from '../../custody/key-ring.ts';
import type { RootKey } from '../../custody/types.ts';
import type { Log } from '../../engine/ports.ts';
import type { Store } from '../../store/types.ts';
import { retireUnused } from './retire.ts';

/** How often a process looks, and how long a rotation waits until all have seen a change. */
const EVERY_MS = 1_000;
export const SEEN_AFTER_MS = 2_500;
/** How often it looks for versions whose last keyed hash has expired. */
const RETIRES_EVERY = 3_600;

export type Following = {
  /** Follows the master keys now. */
  look(): Promise<void>;
  start(): void;
  close(): Promise<void>;
};

type Parts = {
  store: Store;
  clock: Clock;
  held: { root: RootKey; ring: KeyRing };
  log: Log;
  /** Sealed secrets in memory are read again. */
  forget(): Promise<void>;
};

/** Follows the master keys that a command changes, so that this process opens and seals as the others do. */
export function followMasterKeys({ store, clock, held, log, forget }: Parts): Following {
  const closing = new AbortController();
  let running: Promise<void> | undefined;
  let looking: Promise<void> | undefined;
  let said = '';
  /** What `forget` was last called for. It is called again if it failed. */
  let followed = held.ring.generation();

  function sayOnce(message: string): void {
    if (message !== said) log.error({}, message);
    said = message;
  }

  async function object(version: number, error: Error): Promise<void> {
    const message = `it has another root key: set the settings of the new one and restart it (${error.message})`;
    await store.exclusively((tx) => tx.instance.objectToMasterKey(version, message));
  }

  async function lookOnce(): Promise<void> {
    const { ring } = held;
    const rows = await store.read.instance.masterKeys();
    try {
      await ring.take(rows);
    } catch (error) {
      sayOnce(
        `a master key cannot be opened: ${(error as Error).message}. Restart this process with the settings of the new root key`,
      );
      const coming = rows.find(({ state }) => state === 'coming');
      if (coming !== undefined) await object(coming.version, error as Error);
    }
    if (rows.some(({ rootId, wrapped }) => wrapped.length > 0 && rootId !== held.root.id))
      sayOnce('the root key was changed. This process works until it ends: restart it with the settings of the new root key');
    const generation = ring.generation();
    if (generation === followed) return;
    await forget();
    followed = generation;
  }

  const look = (): Promise<void> => {
    looking ??= lookOnce().finally(() => {
      looking = undefined;
    });
    return looking;
  };

  async function follow(): Promise<void> {
    for (let round = 0; !closing.signal.aborted; round++) {
      try {
        await look();
        if (round % RETIRES_EVERY === 0) await retireUnused(store, clock.now());
      } catch {
        // Other parts report that the database does not answer.
      }
      await sleep(EVERY_MS, undefined, { ref: false, signal: closing.signal }).catch(() => {});
    }
  }

  return {
    look,
    start() {
      running = follow();
    },
    async close() {
      closing.abort();
      await running;
    },
  };
}
