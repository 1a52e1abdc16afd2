import type { Clock } from '../../../../../base/clock.ts';
import type { Log } from '../../../../../engine/ports.ts';
import { RpcError } from '../../../../nodes/types.ts';
import type { OnChain, Rows } from '../parts.ts';
import { rowOf } from '../rows.ts';

type Hex = `0x${string}`;

/**
 * The account's next nonce on the chain. `agreed`: a second endpoint says it too, if several answer. `doubt`: why nothing can be
 * signed now; the nonce is then the one that was believed last.
 */
export type BelievedNonce = { latest: number; agreed: number; doubt: string | undefined };

/** With transactions that are pending at the nodes. */
export type BelievedNonces = BelievedNonce & { pending: number };

/**
 * A nonce that nothing explains. `since`: when an endpoint first said such a nonce. `begunAt`: when it first said this one. `at`:
 * when `block` was the latest.
 */
type Leap = { nonce: number; block: bigint; since: number; begunAt: number; at: number };

/** The last believed nonce of an account, and a claimed nonce that is not confirmed yet. Times are elapsed time. */
export type Belief = { latest: number; leap: Leap | undefined };

export const noBelief = (): Belief => ({ latest: 0, leap: undefined });

/** What the questions about an account's nonce need. */
export type NonceQuestion = Pick<Rows, 'read' | 'key'> &
  OnChain & { belief: Belief; elapsed: Clock; log: Pick<Log, 'info' | 'warn'> };

/** How far one endpoint alone may exceed the known nonce. That many nonces are filled in one go, if they turn out unused. */
export const SLACK = 16;
/** How long an endpoint must keep to a nonce that no other confirms. Nodes keep a block's state for longer, even where blocks are quick. */
const KEEPS_MS = 15_000;
/** The same where no endpoint says which nonce an account had in a block. */
const KEEPS_WITHOUT_BLOCK_MS = 600_000;

/**
 * The nonce in the block that was the latest when the leap was first said. It is the least that any endpoint says. Undefined: not
 * all of the `asked` endpoints say it, and it may be no real block.
 */
async function nonceIn({ node, key }: NonceQuestion, { block }: Leap, asked: number): Promise<number | undefined> {
  try {
    const said = await node.nonces(key.account as Hex, block);
    return said.length < asked ? undefined : Number(said.at(-1)!);
  } catch (error) {
    if (error instanceof RpcError) return undefined;
    throw error;
  }
}

/** Begins to watch a nonce that an endpoint says. */
async function watched(question: NonceQuestion, nonce: number, before?: Leap): Promise<Leap> {
  const { value } = await question.node.block('latest');
  const block = value?.number ?? (await question.chain.head());
  const at = question.elapsed.now();
  return { nonce, block, since: before?.since ?? at, begunAt: before?.nonce === nonce ? before.begunAt : at, at };
}

/** Whether an endpoint has kept to it for long enough, and the first latest block has it too. */
async function isConfirmed(question: NonceQuestion, leap: Leap, asked: number): Promise<boolean> {
  const { belief, elapsed } = question;
  const now = elapsed.now();
  if (now - leap.at < KEEPS_MS) return false;
  const had = await nonceIn(question, leap, asked);
  if (had !== undefined && had >= leap.nonce) return true;
  if (had === undefined && now - leap.begunAt >= KEEPS_WITHOUT_BLOCK_MS) return true;
  // It may have come into a block meanwhile.
  belief.leap = await watched(question, leap.nonce, leap);
  return false;
}

/** An endpoint says a nonce that nothing of ours explains. */
async function latestAfterLeap(question: NonceQuestion, said: readonly number[], known: number): Promise<BelievedNonce> {
  const { belief, elapsed, log, key } = question;
  const [most, second] = said as [number, number | undefined];
  const before = belief.leap;
  if (before === undefined || most < before.nonce) {
    belief.leap = await watched(question, most, before);
    if (before === undefined)
      log.warn(
        { ...key, said: most, known },
        'an RPC endpoint says a nonce that is far above what is known: sends of this account wait until that is confirmed',
      );
  } else if (await isConfirmed(question, before, said.length)) {
    const { nonce } = before;
    log.warn({ ...key, nonce, known }, 'the nonce is confirmed: another program used the key, or this database is an old one');
    // Blocks have not confirmed the part above it.
    if (most > nonce) belief.leap = await watched(question, most, before);
    const latest = Math.max(nonce, second ?? 0);
    return { latest, agreed: second ?? latest, doubt: undefined };
  }
  // The others did not follow, and no block has it, whatever this endpoint says.
  if (second !== undefined && before !== undefined && elapsed.now() - before.since >= 2 * KEEPS_MS)
    return { latest: second, agreed: second, doubt: undefined };
  const doubt = `an RPC endpoint says that the next nonce of ${key.account} is ${most}, and nothing above ${known} is known of: it waits until that is confirmed`;
  const latest = second ?? belief.latest;
  return { latest, agreed: latest, doubt };
}

/**
 * The account's next nonce on the chain, as far as it is believed:
 * - the nonces that we signed;
 * - a nonce that a second endpoint says too;
 * - a little more from a single endpoint;
 * - any nonce that is confirmed in time.
 */
export async function latestNonce(question: NonceQuestion): Promise<BelievedNonce> {
  const { node, key, belief, log } = question;
  const said = (await node.nonces(key.account as Hex, 'latest')).map(Number);
  const [most, second] = said as [number, number | undefined];
  const isAgreed = most <= belief.latest || second === most;
  const known = isAgreed ? most : Math.max((await rowOf(question)).nextNonce ?? 0, belief.latest, second ?? 0);
  const isExplained = most <= known + (second === undefined ? SLACK : 0);
  if (isExplained && belief.leap !== undefined) {
    belief.leap = undefined;
    log.info(key, 'what RPC endpoints say of the nonce is explained: sends of this account go on');
  }
  const latest = isExplained
    ? { latest: most, agreed: second ?? most, doubt: undefined }
    : await latestAfterLeap(question, said, known);
  if (latest.doubt === undefined) belief.latest = latest.latest;
  return latest;
}

/** Whether the pending sends wait for a transaction before them that is not ours. */
async function isBehindGap({ read, key }: NonceQuestion, { latest }: BelievedNonce): Promise<boolean> {
  const [first] = await read.sendsOfAccount.byNonce(key, 'sent', { from: latest, limit: 1 });
  return first !== undefined && first.nonce! > latest;
}

/** Transactions pending at the nodes count as far as the same endpoints would be believed. Only blocks confirm them. */
export async function chainNonces(question: NonceQuestion): Promise<BelievedNonces> {
  const { node, key } = question;
  const [found, waiting] = await Promise.all([latestNonce(question), node.nonces(key.account as Hex, 'pending')]);
  const [most, second] = waiting.map(Number) as [number, number | undefined];
  const pending = Math.max(most, found.latest);
  if (found.doubt !== undefined || pending === found.latest) return { ...found, pending };
  const known = Math.max((await rowOf(question)).nextNonce ?? 0, found.latest);
  if (pending <= known || (pending <= known + SLACK && !(await isBehindGap(question, found)))) return { ...found, pending };
  if (second !== undefined) return { ...found, pending: Math.max(second, found.latest) };
  const doubt = `an RPC endpoint says that transactions of ${key.account} up to the nonce ${most} wait there, and nothing above ${known} is known of: it waits until they are in blocks`;
  return { ...found, pending: known, doubt };
}
