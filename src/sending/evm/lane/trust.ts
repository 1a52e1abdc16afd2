import type { SendAccount } from '../../../model/send.ts';
import { RpcError } from '../../../nodes/types.ts';
import type { ChainNonces, Latest, Leap } from './memory.ts';
import { rowOf } from './rows.ts';
import type { Work } from './work.ts';

/** What is asked of the account, and what is remembered of the answers. */
export type Asking = Pick<Work, 'read' | 'key' | 'node' | 'chain' | 'memory' | 'elapsed' | 'log'>;

type Hex = `0x${string}`;

/** What one endpoint alone may say beyond what is known: as many nonces as are filled in one go, if nobody used them. */
export const SLACK = 16;
/** How long an endpoint has to keep to a nonce that nobody confirms. Nodes keep the state of a block for longer, also where blocks are quick. */
const KEEPS_MS = 15_000;
/** The same where no endpoint says what an account had in a block. */
const KEEPS_WITHOUT_BLOCK_MS = 600_000;

/**
 * What it had in the block that was the latest when the leap was first said: the least that any endpoint says. Undefined: some of the `asked`
 * do not say it, and it may be no block at all.
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

/** Begins to watch what an endpoint says. */
async function watched(work: Asking, nonce: number, before?: Leap): Promise<Leap> {
  const { value } = await work.node.block('latest');
  const block = value?.number ?? (await work.chain.head());
  const at = work.elapsed.now();
  return { nonce, block, since: before?.since ?? at, begunAt: before?.nonce === nonce ? before.begunAt : at, at };
}

/** Whether an endpoint has kept to it for long enough, and the block that was the latest at first has it too. */
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

/** Somebody says a nonce that nothing of ours explains. */
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
    // What it says above that, blocks have not confirmed.
    if (most > nonce) memory.leap = await watched(work, most, before);
    const latest = Math.max(nonce, second ?? 0);
    return { latest, agreed: second ?? latest, doubt: undefined };
  }
  // The others did not follow, and what it says is in no block, whatever it says.
  if (second !== undefined && before !== undefined && elapsed.now() - before.since >= 2 * KEEPS_MS)
    return { latest: second, agreed: second, doubt: undefined };
  const doubt = `an RPC endpoint says that the next nonce of ${key.account} is ${most}, and nothing above ${known} is known of: it waits until that is confirmed`;
  const latest = second ?? memory.latest;
  return { latest, agreed: latest, doubt };
}

/**
 * The account's next nonce on the chain, as far as it is believed: what we signed up to there, what a second endpoint says too, a little more of
 * a single endpoint, and whatever is confirmed in time.
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

/** Whether what is out waits for a transaction before it that is not ours. */
async function isBehindGap({ read, key }: Asking, { latest }: Latest): Promise<boolean> {
  const [first] = await read.sendLanes.byNonce(key, 'sent', { from: latest, limit: 1 });
  return first !== undefined && first.nonce! > latest;
}

/** What waits at the nodes counts as far as the same endpoints would be believed. Nothing but blocks confirms it. */
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

/** Whether nothing can be signed now, because of what is said of the account's nonce. Notes why. */
export async function isInDoubt(work: Work, { waitsFor }: SendAccount): Promise<boolean> {
  const { doubt = '' } = await work.nonces();
  // What is said may change all the time.
  if ((doubt === '') !== (waitsFor === ''))
    await work.claimed.transaction((tx, row) => tx.sendAccounts.change(row, { waitsFor: doubt }));
  return doubt !== '';
}
