import type { Clock } from '../../../../../base/clock.ts';
import type { Log } from '../../../../../engine/ports.ts';
import { feesFor } from '../../../../nodes/evm/fees.ts';
import { storedFees } from '../../fees.ts';
import type { Broadcaster } from '../attempts/broadcast.ts';
import { attemptAfter, storeAttempt } from '../attempts/further-attempt.ts';
import { signedNoop } from '../attempts/supersede.ts';
import { type Backoff, withBackoff } from '../backoff.ts';
import type { EvmRow, OnChain, Ready, Rows, Signing } from '../parts.ts';
import { evmRow, rowOf } from '../rows.ts';
import { isBeyondGap } from './assign.ts';
import { afterAuthorizations } from './authorized.ts';
import { SLACK as MOST_GAPS } from './believed.ts';

/** How long to wait for a missing transaction before the first of ours. */
const GAP_MS = 30_000;

/** Since when the chain has lacked a transaction before the first of ours, by elapsed time. Kept between steps. */
export type Gap = { since: number | undefined };

/** Fills a nonce before the first of ours. A transaction of another party had it, and no longer has it. */
async function fillGap(signing: Signing, send: EvmRow, nonce: number): Promise<Ready | undefined> {
  const { read, chain, clock } = signing;
  const attempts = await read.sendAttempts.ofSend(send.organizationId, send.id);
  const known = attempts.findLast((one) => one.purpose === 'gap' && one.nonce === nonce);
  if (known !== undefined) return { send, attempt: known, isNew: !known.mayBeSent };
  const fees = feesFor(await chain.prices());
  const signed = await signedNoop(signing, send, nonce, fees);
  if (signed === undefined) return undefined;
  const facts = { purpose: 'gap', nonce, fees: storedFees(fees), createdAt: clock.now() } as const;
  return storeAttempt(signing, send, attemptAfter(attempts, send, signed, facts));
}

/** The first of ours that waits behind a missing transaction, and the missing nonce. Undefined: none does, or the gap is not ours to fill. */
async function firstBehindGap(asked: Rows & OnChain, said: number): Promise<{ first: EvmRow; missing: number } | undefined> {
  const { read, key, node } = asked;
  const [first] = (await read.sendsOfAccount.byNonce(key, 'sent', { from: said, limit: 1 })).map(evmRow);
  if (first === undefined || first.nonce === said || first.intent.form === 'raw') return undefined;
  if (first.intent.nonce !== null && first.intent.form !== 'sponsored') return undefined;
  const missing = await afterAuthorizations(asked, await rowOf(asked), said);
  if (first.nonce === missing) return undefined;
  if (Number(await node.nonce(key.account as `0x${string}`, 'pending')) > missing) return undefined;
  return { first, missing };
}

/**
 * Fills a gap: a transaction before the first of ours is missing everywhere, and was not ours. A transaction that does nothing
 * takes its nonce. `said`: the account's next nonce on the chain.
 */
export async function fillGaps(
  signing: Signing,
  { gap, log, elapsed, ...backoff }: { gap: Gap; log: Pick<Log, 'error'>; elapsed: Clock } & Backoff,
  flow: Broadcaster,
  said: number,
): Promise<void> {
  const { read, key } = signing;
  const found = await firstBehindGap(signing, said);
  if (found === undefined) {
    gap.since = undefined;
    return;
  }
  const { first, missing } = found;
  if (gap.since === undefined && isBeyondGap(missing, first))
    log.error(
      { ...key, sendId: first.id, nonce: first.nonce, next: missing },
      'a send was signed with a nonce that is far away: it waits until the account gets there, and others go before it',
    );
  gap.since ??= elapsed.now();
  if (isBeyondGap(missing, first) || elapsed.now() - gap.since < GAP_MS) return;
  gap.since = undefined;
  await withBackoff({ ...backoff, log, elapsed }, first, async () => {
    for (let nonce = missing; nonce < Math.min(first.nonce!, missing + MOST_GAPS); nonce++) {
      const filled = await fillGap(signing, evmRow((await read.sends.get(first.organizationId, first.id))!), nonce);
      if (filled !== undefined) await flow.push([filled]);
    }
  });
}
