import { failPoint } from '../../../base/fail-point.ts';
import type { Send } from '../../../model/send.ts';
import type { NextDue } from '../lane.ts';
import { mapConcurrently } from '../map-concurrently.ts';
import { type Lifetime, type Made, sign, store } from './attempt.ts';
import { type Blockhashes, blockhashes, choose, lastOf, lastOfGiven } from './blockhash.ts';
import { withPayer } from './payer-error.ts';
import { BATCH, dueIn, intentOf, SHARE, type Work } from './work.ts';

async function lifetimeOf({ memory }: Work, send: Send, chain: Blockhashes): Promise<Lifetime> {
  const { blockhash, lastValidBlockHeight } = intentOf(send);
  if (blockhash === 'nonce') return { blockhash: undefined, last: undefined };
  if (blockhash === 'given') return { blockhash: undefined, last: lastOfGiven(chain.height) };
  const last = lastOf(chain.height, BigInt(lastValidBlockHeight ?? 0));
  if (last !== undefined && memory.clashes.get(send.id) === undefined) return { blockhash: undefined, last };
  return choose(chain, 1);
}

async function madeOf(work: Work, send: Send, chain: Blockhashes): Promise<Made> {
  const { refused } = intentOf(send);
  if (refused) return { is: 'failed', send, error: withPayer(send, refused) };
  return sign(work, send, () => lifetimeOf(work, send, chain));
}

/** Queued sends become signed. They fail if they were refused when they were tried out, or if their key is gone. */
export async function begin(work: Work): Promise<NextDue> {
  const { read, clock, claimed, node, pace } = work;
  await pace.turn(claimed.signal);
  const queued = await read.sendsOfAccount.due(claimed, 'queued', clock.now(), BATCH);
  pace.did(queued.length * SHARE.signing);
  if (queued.length === 0) return dueIn(work, 'queued');
  const chain = await blockhashes(node);
  const made = await mapConcurrently(queued, (send) => madeOf(work, send, chain));
  await failPoint('before store-signature');
  await claimed.transaction(async (tx) => {
    // Failed sends come last: they give back their reservation, and so lock a row that other accounts wait for.
    for (const one of made.toSorted((a, b) => Number(a.is === 'failed') - Number(b.is === 'failed')))
      await store(tx, work, one, 1);
  });
  await failPoint('after store-signature');
  return dueIn(work, 'queued');
}
