import type { ScanPlace } from '../../../model/scan.ts';
import { recentAnswer } from '../../nodes/recent-answer.ts';
import { ScanStopped, stoppable } from '../stopped.ts';
import type { ChainScanner, Held } from '../types.ts';
import { newcomers } from './begin.ts';
import { checking } from './check.ts';
import { startOf } from './cursors.ts';
import type { Parts } from './parts.ts';
import { settling } from './settle.ts';
import { tokenAccounts } from './token-accounts.ts';

/** Addresses that one step checks. */
const AT_ONCE = 16;
/** No address is checked more often. */
const CHECK_MS = 1500;
/** Between two steps, so that nodes are asked for at most 64 addresses a second. */
const PACE_MS = 250;
const IDLE_MS = 500;
/** How often the latest slot is asked for, to know the lag. */
const HEAD_MS = 10_000;
/** How often endpoints are asked for the first slot that they keep. */
const KEPT_MS = 10_000;
const LARGE_LAG = 1_000;
const TELLS_MS = 60_000;

/** Scans the signatures of each watched address, in turn. Up to the slot of the place, all addresses were checked. */
export function solanaScanner(parts: Parts): ChainScanner {
  const { store, node, clock, elapsed, log, counts } = parts;
  const { caip2 } = node;
  const accountsOf = tokenAccounts(parts.assets.flatMap(({ token }) => token ?? []));
  const look = newcomers(parts, accountsOf);
  const { check, forget } = checking(parts, accountsOf);
  const firstSlots = recentAnswer(elapsed, KEPT_MS, () => node.scans.firstSlots());
  const settle = settling(parts, firstSlots, forget);
  const head = recentAnswer(elapsed, HEAD_MS, () => node.scans.slot('confirmed'));
  const unlessStopped = stoppable(parts);
  let toldAt = Number.NEGATIVE_INFINITY;
  let round: { slot: number; startedAt: number } | undefined;

  async function placeOf(held: Held): Promise<ScanPlace> {
    const known = await store.read.scan.place(caip2);
    if (known !== undefined) return known;
    const number = await node.scans.slot('confirmed');
    const place = { caip2, number, hash: '', firstNumber: number, updatedAt: clock.now() };
    await held.write((tx) => tx.scan.putPlace(place));
    return place;
  }

  /** Moves the place when each address was checked since a slot. */
  async function endRound(held: Held, place: ScanPlace): Promise<void> {
    if (round === undefined) return;
    const { slot, startedAt } = round;
    const [oldest] = await store.read.scan.leastRecentAddresses(caip2, 1);
    if (oldest !== undefined && oldest.checkedAt < startedAt) return;
    round = undefined;
    // Another endpoint may lag.
    if (slot <= place.number) return;
    await held.write((tx, now) => tx.scan.putPlace({ ...place, number: slot, updatedAt: now }));
    counts.blocks(slot - place.number);
  }

  async function lagAt({ number }: ScanPlace): Promise<number> {
    const lag = Math.max((await head()) - number, 0);
    counts.lag(lag);
    if (lag > LARGE_LAG && elapsed.now() - toldAt >= TELLS_MS) {
      toldAt = elapsed.now();
      log.warn({ network: caip2, lag }, 'the scan of a chain is behind; it goes on, and skips nothing');
    }
    return lag;
  }

  /** An endpoint that removed slots lists nothing of them, as if nothing had happened there. Any endpoint may be asked to list. */
  async function requireKept({ number, firstNumber }: ScanPlace, lag: number): Promise<void> {
    const firsts = await firstSlots(lag > LARGE_LAG);
    if (lag > LARGE_LAG && firsts.length < node.scans.endpoints)
      throw new ScanStopped('the scan is behind, and an RPC endpoint did not tell the first slot that it keeps');
    const first = Math.max(...firsts);
    const needed = Math.max(startOf(number), firstNumber);
    if (first > needed)
      throw new ScanStopped(`the scan needs slots from ${needed} on, and an RPC endpoint keeps those from ${first} on`);
    counts.stopped(false);
  }

  async function due() {
    const before = clock.now() - CHECK_MS;
    const rows = await store.read.scan.leastRecentAddresses(caip2, AT_ONCE);
    return rows.filter(({ checkedAt }) => checkedAt <= before);
  }

  async function readSome(held: Held, place: ScanPlace): Promise<number> {
    round ??= { slot: await node.scans.slot('confirmed'), startedAt: clock.now() };
    const rows = await due();
    if (rows.length > 0)
      await check(held, rows).catch((error) => {
        // Those that failed count as checked; the place waits for a round in which nodes answer.
        round = undefined;
        throw error;
      });
    await endRound(held, place);
    return rows.length === AT_ONCE ? PACE_MS : IDLE_MS;
  }

  return {
    caip2,
    async step(held) {
      const place = await placeOf(held);
      const lag = await lagAt(place);
      await look(held);
      await settle(held);
      return unlessStopped(place, async () => {
        await requireKept(place, lag);
        return readSome(held, place);
      });
    },
  };
}
