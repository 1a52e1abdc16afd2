import type { ScanAddress, ScanCursor } from '../../../model/scan.ts';
import { type Held, LeaseLost } from '../types.ts';
import type { Parts } from './parts.ts';
import type { TokenAccounts } from './token-accounts.ts';

const MILLISECONDS = 20_000;
/** Addresses of one look. */
const PAGE = 1000;
/** Addresses that begin to be watched together. */
const AT_ONCE = 16;
/** How often new addresses are looked for. */
const LOOK_MS = 2000;
/** How soon an address that a node refused is tried again. */
const RETRY_MS = 10_000;
/** How often the log tells that nodes refuse addresses. */
const REFUSALS_TOLD_MS = 60_000;
/** How often the log tells that addresses are left out. */
const TELLS_MS = 3_600_000;
/** Another endpoint may lag behind the one that was asked. */
const MARGIN_SLOTS = 150;

/** The history of an address begins with the next transaction: each cursor is at the newest signature. */
async function rowsOf({ node }: Parts, accountsOf: TokenAccounts, addresses: readonly string[]): Promise<ScanAddress[]> {
  const { caip2, scans } = node;
  const slot = Math.max((await scans.slot('confirmed')) - MARGIN_SLOTS, 0);
  const exist = await scans.existing(addresses.flatMap(accountsOf), MILLISECONDS);
  const accounts = addresses.flatMap((address) => [address, ...accountsOf(address).filter((one) => exist.has(one))]);
  const newest = await scans.signatures(
    accounts.map((account) => ({ account, until: '', limit: 1 })),
    MILLISECONDS,
  );
  const cursors = new Map(
    accounts.map((account, i): [string, ScanCursor] => {
      const [last] = newest[i]!;
      return [account, { signature: last?.signature ?? '', slot: Math.max(last?.slot ?? 0, slot) }];
    }),
  );
  return addresses.map((address) => {
    const { signature, slot: lastSlot } = cursors.get(address)!;
    const tokens = accountsOf(address)
      .filter((one) => cursors.has(one))
      .map((one) => [one, cursors.get(one)!] as const);
    return { caip2, address, lastSignature: signature, lastSlot, checkedAt: 0, tokens: Object.fromEntries(tokens) };
  });
}

/** Looks for addresses that are not watched yet. Those that are watched keep their place. */
export function newcomers(parts: Parts, accountsOf: TokenAccounts): (held: Held) => Promise<void> {
  const { store, node, elapsed, log, counts, most } = parts;
  const { caip2 } = node;
  let after = '';
  let leftOut: string[] = [];
  let leftCount = 0;
  let lookAt = Number.NEGATIVE_INFINITY;
  let toldAt = Number.NEGATIVE_INFINITY;
  /** Addresses that a node refused, and when they are tried again. */
  const refused = new Map<string, number>();
  let refusalsToldAt = Number.NEGATIVE_INFINITY;

  async function begin(held: Held, addresses: readonly string[]): Promise<void> {
    const rows = await rowsOf(parts, accountsOf, addresses);
    await held.write(async (tx) => {
      for (const row of rows) {
        if ((await tx.scan.address(caip2, row.address)) !== undefined) throw new LeaseLost();
        await tx.scan.putAddress(row);
      }
    });
  }

  /** Begins them together, and if that fails each by itself: a node may refuse one. */
  async function beginAll(held: Held, addresses: readonly string[]): Promise<void> {
    const isLost = (error: unknown) => error instanceof LeaseLost;
    const together = await begin(held, addresses).catch((error) => error as Error);
    if (together === undefined) return;
    if (isLost(together)) throw together;
    const each = await Promise.allSettled(addresses.map((address) => begin(held, [address])));
    const failed = each.flatMap((done, i) =>
      done.status === 'rejected' ? [{ address: addresses[i]!, error: done.reason }] : [],
    );
    const lost = failed.find(({ error }) => isLost(error));
    if (lost) throw lost.error;
    for (const { address } of failed) refused.set(address, elapsed.now() + RETRY_MS);
    if (failed.length === 0 || elapsed.now() - refusalsToldAt < REFUSALS_TOLD_MS) return;
    refusalsToldAt = elapsed.now();
    const { address, error } = failed[0]!;
    log.warn({ network: caip2, count: failed.length, address, error }, 'addresses are not watched yet; they are retried');
  }

  function tell(): void {
    counts.leftOut(leftCount);
    if (leftCount > 0 && elapsed.now() - toldAt >= TELLS_MS) {
      toldAt = elapsed.now();
      const message = 'addresses are not watched: raise SCAN_SOLANA_ADDRESSES, or remove wallets';
      log.warn({ network: caip2, count: leftCount, addresses: leftOut }, message);
    }
    leftOut = [];
    leftCount = 0;
  }

  return async (held) => {
    if (elapsed.now() < lookAt) return;
    for (const [address, at] of refused) if (at <= elapsed.now()) refused.delete(address);
    const page = await store.read.watched.solanaAfter(caip2, after, PAGE);
    const waiting = page.filter(({ address, isScanned }) => !isScanned && !refused.has(address));
    const fresh = [...new Set(waiting.map(({ address }) => address))];
    const free = fresh.length === 0 ? 0 : Math.max(most - (await store.read.scan.addressCount(caip2)), 0);
    const taken = fresh.slice(0, Math.min(free, AT_ONCE));
    if (taken.length > 0) await beginAll(held, taken);
    // The rest of the page is looked at again in the next step.
    if (taken.length === AT_ONCE) return;
    leftCount += fresh.length - taken.length;
    leftOut.push(...fresh.slice(taken.length, taken.length + 10 - leftOut.length));
    after = page.length < PAGE ? '' : page.at(-1)!.address;
    if (after === '') tell();
    lookAt = elapsed.now() + LOOK_MS;
  };
}
