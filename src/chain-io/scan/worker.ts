import type { Clock } from '../../base/clock.ts';
import { Sleep } from '../../base/sleep.ts';
import type { Log } from '../../engine/ports.ts';
import { scanLease } from '../../model/scan.ts';
import { NEVER } from '../../model/send.ts';
import type { Store } from '../../store/types.ts';
import { type ChainScanner, type Held, LeaseLost, type ScanCounts } from './types.ts';

/** Longer than a step, whose waits for nodes are bounded. */
const LEASE_MS = 60_000;
/** A step begins only if the lease lasts this long. */
const MARGIN_MS = 40_000;
/** How often a process without the lease looks. */
const LOOK_MS = 5_000;
const FIRST_RETRY_MS = 1_000;
const LAST_RETRY_MS = 30_000;
/** The log names lasting trouble this often. */
const TELLS_MS = 60_000;

type Parts = {
  store: Store;
  clock: Clock;
  log: Log;
  /** A token of this process. */
  owner: string;
  scanners: readonly { scanner: ChainScanner; counts: ScanCounts }[];
};

export type ScanWorker = {
  start(): void;
  /** Resolves when nothing is under way. The leases are free then. */
  close(): Promise<void>;
};

/** Scans each chain in the process that holds the chain's lease. Chains do not wait for each other. */
export function scanWorker({ store, clock, log, owner, scanners }: Parts): ScanWorker {
  let closed = false;
  const sleeps: Sleep[] = [];
  let running: Promise<unknown> = Promise.resolve();

  async function run({ scanner, counts }: Parts['scanners'][number]): Promise<void> {
    const sleep = new Sleep();
    sleeps.push(sleep);
    const { caip2 } = scanner;
    const name = scanLease(caip2);
    let until = 0;
    let failures = 0;
    let toldAt = Number.NEGATIVE_INFINITY;

    const held: Held = {
      isClosed: () => closed,
      write: (work) =>
        store.transaction(async (tx) => {
          const now = clock.now();
          // No other process has a database of SQLite: a lease is of an earlier process.
          const endedBefore = store.engine === 'sqlite' ? NEVER : now;
          if (!(await tx.leases.claim(name, owner, endedBefore, now + LEASE_MS))) throw new LeaseLost();
          const result = await work(tx, now);
          until = now + LEASE_MS;
          return result;
        }),
    };

    async function step(): Promise<number> {
      if (until - clock.now() < MARGIN_MS) await held.write(async () => {});
      const ms = await scanner.step(held);
      failures = 0;
      return ms;
    }

    function restAfter(error: unknown): number {
      if (error instanceof LeaseLost) {
        until = 0;
        return LOOK_MS;
      }
      counts.failed();
      if (!closed && clock.now() - toldAt >= TELLS_MS) {
        toldAt = clock.now();
        log.warn({ network: caip2, error }, 'a chain could not be scanned; it is retried from the same block');
      }
      return Math.min(FIRST_RETRY_MS * 2 ** failures++, LAST_RETRY_MS);
    }

    while (!closed) {
      sleep.look();
      await sleep.rest(await step().catch(restAfter));
    }
    if (until > 0) await store.transaction((tx) => tx.leases.release(name, owner)).catch(() => {});
  }

  return {
    start() {
      running = Promise.all(scanners.map(run));
    },
    async close() {
      closed = true;
      for (const sleep of sleeps) sleep.wake();
      await running;
    },
  };
}
