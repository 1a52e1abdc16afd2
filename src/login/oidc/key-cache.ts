import type { Clock } from '../../base/clock.ts';
import { Lru } from '../../base/lru.ts';
import { type FetchDocument, NoPlaceError } from '../../outbound/types.ts';
import { fetchKeys, type IssuerKeys } from './issuer.ts';

/** How long keys are used before they are fetched again, so that a withdrawn key stops working. */
const FRESH_MS = 600_000;

/** How long after a fetch a token with an unknown key causes no new fetch. */
const PAUSE_MS = 10_000;

/** How long an issuer is not asked again after a failed fetch of its keys. */
const FAILED_MS = 5000;

/** How many issuers' failures are remembered. */
const MOST_FAILED = 1000;

/** Bytes of all key sets. */
const MOST_BYTES = 16_777_216;

/** The bytes of an entry besides its document: parsed keys, names. */
const OVERHEAD = 8192;

/** `triedAt`: the time of the last fetch, also if it failed. */
type Entry = { keys: IssuerKeys; at: number; triedAt: number };

type Failed = { error: unknown; at: number };

export type KeyCache = {
  /** The keys of an issuer. They are fetched if there are none, or if they are old. Throws OutboundError. */
  keys(issuer: string, payer: string): Promise<IssuerKeys>;
  /** Newer keys than these, which lack one. Undefined if they were fetched a moment ago. */
  newer(than: IssuerKeys, issuer: string, payer: string): Promise<IssuerKeys | undefined>;
};

/** Keys by issuer. Concurrent requests for the same keys share one fetch. `clock`: elapsed time. */
export function keyCache(fetchDocument: FetchDocument, clock: Clock): KeyCache {
  const kept = new Lru<Entry>(MOST_BYTES, ({ keys }) => OVERHEAD + keys.bytes * 2);
  const failures = new Lru<Failed>(MOST_FAILED);
  const underWay = new Map<string, Promise<IssuerKeys>>();

  async function fetchNow(issuer: string, payer: string): Promise<IssuerKeys> {
    try {
      const keys = await fetchKeys(fetchDocument, issuer, payer);
      const at = clock.now();
      kept.set(issuer, { keys, at, triedAt: at });
      failures.delete(issuer);
      return keys;
    } catch (error) {
      // No issuer was asked, because this payer had no place left. Others may have one.
      if (!(error instanceof NoPlaceError)) failures.set(issuer, { error, at: clock.now() });
      throw error;
    }
  }

  async function fetchOnce(issuer: string, payer: string): Promise<IssuerKeys> {
    const running = underWay.get(issuer);
    if (running) return running;
    const failed = failures.get(issuer);
    if (failed !== undefined && clock.now() - failed.at < FAILED_MS) throw failed.error;
    const fetching = fetchNow(issuer, payer).finally(() => underWay.delete(issuer));
    underWay.set(issuer, fetching);
    return fetching;
  }

  return {
    async keys(issuer, payer) {
      const entry = kept.get(issuer);
      return entry !== undefined && clock.now() - entry.at < FRESH_MS ? entry.keys : fetchOnce(issuer, payer);
    },
    async newer(than, issuer, payer) {
      const running = underWay.get(issuer);
      if (running) return running;
      const entry = kept.get(issuer);
      if (entry === undefined) return fetchOnce(issuer, payer);
      if (entry.keys !== than) return entry.keys;
      if (clock.now() - entry.triedAt < PAUSE_MS) return undefined;
      const { triedAt } = entry;
      entry.triedAt = clock.now();
      return fetchOnce(issuer, payer).catch((error: unknown) => {
        // A payer without a place left must not make others wait.
        if (error instanceof NoPlaceError) entry.triedAt = triedAt;
        throw error;
      });
    },
  };
}
