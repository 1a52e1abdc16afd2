import type { SendAccount } from '../../../../model/send.ts';
import { RpcError } from '../../../nodes/types.ts';
import type { ChainNonces, Latest, Leap } from './memory.ts';
import { rowOf } from './rows.ts';
import type { Work } from './work.ts';

/** The parts that the questions about the account need, and the memory of the answers. */
export type Asking = Pick<Work, 'read' | 'key' | 'node' | 'chain' | 'memory' | 'elapsed' | 'log'>;

type Hex = `0x${string}`;

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
async function nonceIn({ node, key }: Asking, { block }: Leap, asked: number): Promise<number | undefined> {
  try {
    const said = await node.nonces(key.account as Hex, block);
    return said.length < asked ? undefined : Number(said.at(-1)!);
  } catch (error) {
    if (error instanceof RpcError) return undefined;
    throw error;
  }
}

/** Begins to watch a nonce that an endpoint says. */
async function watched(work: Asking, nonce: number, before?: Leap): Promise<Leap> {
  const { value } = await work.node.block('latest');
  const block = value?.number ?? (await work.chain.head());
  const at = work.elapsed.now();
  return { nonce, block, since: before?.since ?? at, begunAt: before?.nonce === nonce ? before.begunAt : at, at };
}

/** Whether an endpoint has kept to it for long enough, and the first latest block has it too. */
async function isConfirmed(work: Asking, leap: Leap, asked: number): Promise<boolean> {
  const { memory, elapsed } = work;
  const now = elapsed.now();
  if (now - leap.at < KEEPS_MS) return false;
  const had = await nonceIn(work, leap, asked);
  if (had !== undefined && had >= leap.nonce) return true;
  if (had === undefined && now - leap.begunAt >= KEEPS_WITHOUT_BLOCK_MS) return true;
  // It may have come into a block meanwhile.
  memory.leap = await watched(work, leap.nonce, leap);
  return false;
}

/** An endpoint says a nonce that nothing of ours explains. */
async function latestAfterLeap(work: Asking, said: readonly number[], known: number): Promise<Latest> {
  const { memory, elapsed, log, key } = work;
  const [most, second] = said as [number, number | undefined];
  const before = memory.leap;
  if (before === undefined || most < before.nonce) {
    memory.leap = await watched(work, most, before);
    if (before === undefined)
      log.warn(
        { ...key, said: most, known },
        'an RPC endpoint says a nonce that is far above what is known: sends of this account wait until that is confirmed',
      );
  } else if (await isConfirmed(work, before, said.length)) {
    const { nonce } = before;
    log.warn({ ...key, nonce, known }, 'the nonce is confirmed: somebody else used the key, or this database is an old one');
    // Blocks have not confirmed the part above it.
    if (most > nonce) memory.leap = await watched(work, most, before);
    const latest = Math.max(nonce, second ?? 0);
    return { latest, agreed: second ?? latest, doubt: undefined };
  }
  // The others did not follow, and no block has it, whatever this endpoint says.
  if (second !== undefined && before !== undefined && elapsed.now() - before.since >= 2 * KEEPS_MS)
    return { latest: second, agreed: second, doubt: undefined };
  const doubt = `an RPC endpoint says that the next nonce of ${key.account} is ${most}, and nothing above ${known} is known of: it waits until that is confirmed`;
  const latest = second ?? memory.latest;
  return { latest, agreed: latest, doubt };
}

/**
 * The account's next nonce on the chain, as far as it is believed:
 * - the nonces that we signed;
 * - a nonce that a second endpoint says too;
 * - a little more from a single endpoint;
 * - any nonce that is confirmed in time.
 */
export async function latestNonce(work: Asking): Promise<Latest> {
  const { node, key, memory, log } = work;
  const said = (await node.nonces(key.account as Hex, 'latest')).map(Number);
  const [most, second] = said as [number, number | undefined];
  const isAgreed = most <= memory.latest || second === most;
  const known = isAgreed ? most : Math.max((await rowOf(work)).nextNonce ?? 0, memory.latest, second ?? 0);
  const isExplained = most <= known + (second === undefined ? SLACK : 0);
  if (isExplained && memory.leap !== undefined) {
    memory.leap = undefined;
    log.info(key, 'what RPC endpoints say of the nonce is explained: sends of this account go on');
  }
  const latest = isExplained
    ? { latest: most, agreed: second ?? most, doubt: undefined }
    : await latestAfterLeap(work, said, known);
  if (latest.doubt === undefined) memory.latest = latest.latest;
  return latest;
}

/** Whether the pending sends wait for a transaction before them that is not ours. */
async function isBehindGap({ read, key }: Asking, { latest }: Latest): Promise<boolean> {
  const [first] = await read.sendsOfAccount.byNonce(key, 'sent', { from: latest, limit: 1 });
  return first !== undefined && first.nonce! > latest;
}

/** Transactions pending at the nodes count as far as the same endpoints would be believed. Only blocks confirm them. */
export async function chainNonces(work: Asking): Promise<ChainNonces> {
  const { node, key } = work;
  const [found, waiting] = await Promise.all([latestNonce(work), node.nonces(key.account as Hex, 'pending')]);
  const [most, second] = waiting.map(Number) as [number, number | undefined];
  const pending = Math.max(most, found.latest);
  if (found.doubt !== undefined || pending === found.latest) return { ...found, pending };
  const known = Math.max((await rowOf(work)).nextNonce ?? 0, found.latest);
  if (pending <= known || (pending <= known + SLACK && !(await isBehindGap(work, found)))) return { ...found, pending };
  if (second !== undefined) return { ...found, pending: Math.max(second, found.latest) };
  const doubt = `an RPC endpoint says that transactions of ${key.account} up to the nonce ${most} wait there, and nothing above ${known} is known of: it waits until they are in blocks`;
  return { ...found, pending: known, doubt };
}

/** Whether nothing can be signed now, because the account's nonce is in doubt. Notes why. */
export async function isInDoubt(work: Work, { waitsFor }: SendAccount): Promise<boolean> {
  const { doubt = '' } = await work.nonces();
  // Only the change is stored: the text may change all the time.
  if ((doubt === '') !== (waitsFor === ''))
    await work.claimed.transaction((tx, row) => tx.sendAccounts.change(row, { waitsFor: doubt }));
  return doubt !== '';
}
