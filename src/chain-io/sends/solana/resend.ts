import { failPoint } from '../../../base/fail-point.ts';
import type { Send } from '../../../model/send.ts';
import type { BlockHeights } from '../../nodes/solana/agree.ts';
import { plainFailure } from '../error.ts';
import { type Made, sign, signersOf, store } from './attempt.ts';
import { blockhashes, choose } from './blockhash.ts';
import { type Given, giveToNodes } from './deliver.ts';
import { isOld, isPast, outcomeOf, refusalOf } from './outcome.ts';
import { cancelOf, type Found, intentOf, troubled, type Work } from './work.ts';

/** How soon to give a young transaction again: a node keeps it no longer than it must. */
const AGAIN_MS = 2_000;
/** How soon to give an older one again: with a durable nonce it may wait for days. */
const SELDOM_MS = 30_000;
const YOUNG_MS = 120_000;

/** How many blockhashes the service chooses for one send. */
const MOST_BLOCKHASHES = 4;

/** The latest transaction of the sends that are due to be given again. */
async function dueAgain({ read, clock, memory }: Work, sends: readonly Send[]): Promise<Given[]> {
  const now = clock.now();
  const due = sends.filter((send) => {
    const last = memory.given.get(send.id);
    // Its row changes while it waits.
    const since = intentOf(send).blockhash === 'nonce' ? send.createdAt : send.updatedAt;
    return last === undefined || now - last >= (now - since < YOUNG_MS ? AGAIN_MS : SELDOM_MS);
  });
  const given: Given[] = [];
  for (const send of due) {
    const attempt = (await read.sendAttempts.ofSend(send.organizationId, send.id)).at(-1);
    if (attempt !== undefined) given.push({ send, attempt });
  }
  return given;
}

const expired = (send: Send, last: number | null): string =>
  intentOf(send).blockhash === 'nonce'
    ? 'its nonce account has another durable nonce, and the transaction was not mined'
    : `the transaction expired: its blockhash was valid until block ${last}, and no block up to it has the transaction`;

const COPIED =
  '. The send is older than this copy of the database. It is never sent again, since the original may have done that';

/** Why it is not signed again. Undefined: it may be. The end of a freeze must not revive what the freeze stopped. */
async function stopped(work: Work, send: Send): Promise<string | undefined> {
  if (send.createdAt < work.claimed.copiedAt) return COPIED;
  const why = cancelOf(send) ?? ((await signersOf(work, send)) === undefined ? 'a key that signs it is frozen' : undefined);
  return why && `. It is not signed again: ${why}`;
}

/** Signs it anew with a blockhash that the service chooses again, or says that it failed. */
async function nextOf(work: Work, { send, attempt }: Given, isDead: boolean): Promise<Made> {
  const mayAgain = isDead && intentOf(send).blockhash === 'chosen' && attempt.number < MOST_BLOCKHASHES;
  const why = mayAgain ? await stopped(work, send) : '';
  if (why !== undefined) {
    const error = plainFailure(expired(send, attempt.lastValidBlockHeight) + why);
    // The original of a copied database may have signed it again.
    return { is: 'failed', send, error, isGone: isDead && why !== COPIED };
  }
  const chain = await blockhashes(work.node);
  return sign(work, send, () => choose(chain, attempt.number + 1));
}

/** Settles a transaction whose blockhash seems to be expired. `again`: it may still land, so the nodes get it again. */
async function settleOver(work: Work, given: Given, heights: BlockHeights): Promise<Found | 'again' | undefined> {
  const { claimed, clock, memory } = work;
  const { send, attempt } = given;
  const outcome = await outcomeOf(work, given, heights);
  if (outcome.is === 'landed') return { send, status: outcome.status };
  if (outcome.is === 'again') return 'again';
  memory.given.set(send.id, clock.now());
  if (outcome.is === 'unsure') return undefined;
  if (outcome.is === 'nonce is back') {
    await claimed.transaction((tx) => tx.sendAttempts.expire(attempt, null));
    return undefined;
  }
  const next = await nextOf(work, given, outcome.is === 'dead');
  memory.given.delete(send.id);
  await failPoint('before replace');
  await claimed.transaction((tx) => store(tx, work, next, attempt.number + 1));
  await failPoint('after replace');
  return undefined;
}

/** Notes that a durable nonce was used: by this transaction, or by another one. In the second case it never lands once that is final. */
async function noteUsedNonce({ node, claimed, clock, memory }: Work, { send, attempt }: Given): Promise<Found | undefined> {
  const { known } = await node.blockHeights('confirmed');
  const [found] = await node.statuses([attempt.hash], { history: true });
  if (found?.value !== undefined) return { send, status: found.value };
  await claimed.transaction((tx) => tx.sendAttempts.expire(attempt, Number(known)));
  memory.given.set(send.id, clock.now());
  return undefined;
}

async function settle(work: Work, given: Given, heights: BlockHeights): Promise<Found | 'again' | undefined> {
  const { send, attempt } = given;
  if (attempt.lastValidBlockHeight === null) {
    const { isNonceThere } = await refusalOf(work, send, attempt);
    return isNonceThere ? 'again' : noteUsedNonce(work, given);
  }
  return isPast(attempt, heights) || isOld(work, attempt) ? settleOver(work, given, heights) : 'again';
}

/**
 * Gives the nodes again the transactions that no block has, until their blockhash expires; then settles them. Returns those that
 * are in a block after all.
 */
export async function resend(work: Work, missing: readonly Send[]): Promise<Found[]> {
  const given = await dueAgain(work, missing);
  if (given.length === 0) return [];
  const heights = await work.node.blockHeights('finalized');
  const again: Given[] = [];
  const found: Found[] = [];
  for (const one of given)
    try {
      const settled = await settle(work, one, heights);
      if (settled === 'again' && cancelOf(one.send)) work.memory.given.set(one.send.id, work.clock.now());
      else if (settled === 'again') again.push(one);
      else if (settled !== undefined) found.push(settled);
    } catch (error) {
      troubled(work, one.send, error);
      work.memory.given.set(one.send.id, work.clock.now());
    }
  await giveToNodes(work, again);
  return found;
}
