import type { EvmNode } from '../../chain-io/nodes/evm/node.ts';
import { mapConcurrently } from '../../chain-io/sends/map-concurrently.ts';
import type { AccountKey, EvmIntent, Send } from '../../model/send.ts';
import type { Reader } from '../../store/types.ts';
import { type Fate, heldAll, type JudgedAccount } from './fates.ts';

type Hex = `0x${string}`;

/** A signed transaction, or one whose nonce its caller gave, cannot land twice. */
const isFixed = ({ intent }: Send): boolean => {
  const { form, nonce } = intent as EvmIntent;
  return form === 'raw' || (nonce !== null && form !== 'sponsored');
};

/** The first nonce that our rows do not know. A caller may have given a higher one in advance: those before it may be of others. */
async function knownNext(read: Reader, key: AccountKey, signed: readonly Send[]): Promise<number> {
  const row = await read.sendAccounts.get(key);
  let next = Math.max(row?.nextNonce ?? 0, row?.knownNonce ?? 0);
  for (const state of ['included', 'final'] as const)
    for (const { nonce } of await read.sendsOfAccount.lastByNonce(key, state, 1)) next = Math.max(next, nonce! + 1);
  for (const nonce of signed.map((send) => send.nonce!).toSorted((a, b) => a - b)) if (nonce === next) next++;
  return next;
}

type OnChain = { latest: number; pending: number };

/** What became of a nonce that a transaction of ours has. `unknown`: a transaction that waits at a node has it, and is not ours. */
async function fateOfSigned(node: EvmNode, read: Reader, send: Send, on: OnChain): Promise<Fate | 'unknown'> {
  const nonce = send.nonce!;
  const attempts = (await read.sendAttempts.ofSend(send.organizationId, send.id)).filter((one) => one.nonce === nonce);
  if (nonce < on.latest) {
    for (const { hash } of attempts) if ((await node.receipt(hash as Hex)).value !== undefined) return 'mined';
    return 'replaced';
  }
  if (nonce >= on.pending) return 'waits';
  for (const { hash } of attempts) if ((await node.transaction(hash as Hex)).value !== undefined) return 'waits';
  return 'unknown';
}

/** Asks the chain about the open sends of one account. Throws NoNodeError. */
export async function judgeEvm(node: EvmNode, read: Reader, key: AccountKey, sends: readonly Send[]): Promise<JudgedAccount> {
  const account = key.account as Hex;
  const [latest, pending] = await Promise.all([node.nonce(account, 'latest'), node.nonce(account, 'pending')]);
  const on = { latest: Number(latest), pending: Math.max(Number(pending), Number(latest)) };
  const signed = sends.filter(({ nonce }) => nonce !== null);
  const found = await mapConcurrently(signed, async (send) => ({ send, fate: await fateOfSigned(node, read, send, on) }));
  const blocked = found.find(({ fate }) => fate === 'unknown');
  if (blocked !== undefined)
    return heldAll(
      sends,
      `a transaction that this instance does not know waits at a node with the nonce ${blocked.send.nonce} of ${account}, where send ` +
        `${blocked.send.id} has it. Run the command again when a block has one of them`,
    );
  // Any foreign transaction may have been one of the sends that were not signed here.
  const isForeign = on.pending > (await knownNext(read, key, signed)) || found.some(({ fate }) => fate === 'replaced');
  const queued = sends.filter(({ nonce }) => nonce === null);
  return {
    judged: [
      ...found.map(({ send, fate }) => ({ send, fate: fate as Fate })),
      ...queued.map((send) => ({ send, fate: isForeign && !isFixed(send) ? ('maybe sent' as const) : ('safe' as const) })),
    ],
    held: undefined,
  };
}
