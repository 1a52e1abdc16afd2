import { delegateOf, MESSAGE_NONCE_SLOT, messageNonce } from '../../../chains/ethereum/delegation.ts';
import type { EvmIntent, Send } from '../../../model/send.ts';
import type { EvmNode } from '../../nodes/evm/node.ts';

type Hex = `0x${string}`;

/** The parts of an EVM send that reading and signing need. */
export type EvmSend = Pick<Send, 'caip2' | 'account' | 'fromAddress' | 'messageNonce' | 'createdAt'> & { intent: EvmIntent };

/**
 * The chain's state for a send before a nonce is taken for it, or a replacement is signed.
 * - `ready`: it can be signed now.
 *   `delegated`: the account runs the delegate's code, and needs no authorization.
 *   `messageNonce`: of its message (its present one, the given one, or the account's next). Null for forms without a message.
 *   `authorityNonce`: of the account that authorizes, if that is not the one that pays.
 * - `wait`: something it needs is missing, such as an earlier message: read again later. It ends after some minutes.
 * - `never`: it cannot be carried out as it was judged, and fails if nothing was signed yet.
 */
export type EvmReady = {
  readonly is: 'ready';
  readonly delegated: boolean;
  readonly messageNonce: bigint | null;
  readonly authorityNonce: bigint | null;
};

export type EvmReading = EvmReady | { readonly is: 'wait' | 'never'; readonly message: string };

const READY: EvmReady = { is: 'ready', delegated: false, messageNonce: null, authorityNonce: null };

/** How long an accepted send waits for its predecessors. */
const PATIENCE_MS = 10 * 60_000;

const never = (message: string): EvmReading => ({ is: 'never', message });

/** Something before it is missing. */
function notYet({ createdAt }: EvmSend, now: number, message: string): EvmReading {
  return { is: now - createdAt > PATIENCE_MS ? 'never' : 'wait', message };
}

/** An account's next nonce, where more is known of it than a node says. */
export type Known = (said: bigint) => Promise<bigint>;

const asSaid: Known = async (said) => said;

/** How long endpoints may return different nonces, as one that lags does, before the second highest counts. */
const LAG_MS = 30_000;

/** The nonce that two endpoints confirm, or the only one's. `most`: the highest, which one alone may say. */
async function confirmedNonce(node: EvmNode, account: Hex, at: 'latest' | 'pending'): Promise<{ most: bigint; nonce: bigint }> {
  const [most, second] = await node.nonces(account, at);
  return { most: most!, nonce: second ?? most! };
}

/** The nonce of the account's authorization. A chain silently ignores a wrong one, and the gas of its transaction is lost. */
async function authorityNonceOf(node: EvmNode, send: EvmSend, now: number, known: Known): Promise<bigint | EvmReading> {
  const { fromAddress, intent } = send;
  const account = fromAddress as Hex;
  const [said, { nonce: pending }] = await Promise.all([
    confirmedNonce(node, account, 'latest'),
    confirmedNonce(node, account, 'pending'),
  ]);
  const latest = await known(said.nonce);
  if (said.most > latest && now - send.createdAt < LAG_MS)
    return { is: 'wait', message: `RPC endpoints return different nonces of ${fromAddress}` };
  if (pending > latest) return notYet(send, now, `transactions of ${fromAddress} are pending`);
  if (intent.nonce === null || intent.nonce === String(latest)) return latest;
  const message = `nonce: ${intent.nonce} was given for the authorization, but the account's nonce is ${latest}`;
  return BigInt(intent.nonce) < latest ? never(message) : notYet(send, now, message);
}

/** The account's own code may have written any number there. */
const MOST_NONCE = BigInt(Number.MAX_SAFE_INTEGER);

/**
 * Nonces are stored as JavaScript numbers, without loss, and so is the one after. An account that has run other code may have any
 * number in its slot.
 */
const LAST_NONCE = BigInt(Number.MAX_SAFE_INTEGER - 1);

/** The error at the end of a send whose message another party may have brought. */
export const SPENT =
  'another party submitted its message, or its nonce was used by another message: the calls may have been executed, so check before you send them again';

function messageNonceOf(send: EvmSend, next: bigint, now: number): bigint | EvmReading {
  if (next > LAST_NONCE)
    return never(
      `the message nonce of ${send.fromAddress} is ${next}, which leaves no next nonce: the account can send no more messages`,
    );
  // A message that is signed again keeps its nonce, so that at most one of the two is carried out.
  if (send.messageNonce !== null) return next > BigInt(send.messageNonce) ? never(SPENT) : BigInt(send.messageNonce);
  if (next >= MOST_NONCE) return never(`the message nonce of ${send.fromAddress} is ${next}, which is too high to be used`);
  const { gasStationNonce } = send.intent;
  if (gasStationNonce === null || gasStationNonce === String(next)) return next;
  const message = `gasStationNonce: ${gasStationNonce} was given, but the next one of ${send.fromAddress} is ${next}`;
  return BigInt(gasStationNonce) < next ? never(message) : notYet(send, now, message);
}

/** Reads the values that signing needs. Asks no node for `call`, `undelegate` and `raw`. `now`: milliseconds. Throws NoNodeError. */
export async function readEvm(node: EvmNode, send: EvmSend, now: number, known: Known = asSaid): Promise<EvmReading> {
  const { form, deadline, delegate } = send.intent;
  if (form !== 'batch' && form !== 'sponsored') return READY;
  if (deadline !== null && Number(deadline) * 1000 <= now) return never(`deadline: ${deadline} has passed`);
  const account = send.fromAddress as Hex;
  const [code, word] = await Promise.all([node.code(account), node.storage(account, MESSAGE_NONCE_SLOT)]);
  const runs = delegateOf(code);
  if (runs === undefined && code !== '0x') return never(`${account} is a contract: it cannot be delegated`);
  const message = messageNonceOf(send, messageNonce(word), now);
  if (typeof message !== 'bigint') return message;
  const delegated = runs === delegate;
  if (delegated || form === 'batch') return { ...READY, delegated, messageNonce: message };
  const authority = await authorityNonceOf(node, send, now, known);
  if (typeof authority !== 'bigint') return authority;
  return { ...READY, messageNonce: message, authorityNonce: authority };
}

/**
 * Reads the values that are needed to sign a transaction that spends the nonce of the send's message. Undefined: it has none, the
 * nonce is spent already, or the account has code of its own. Throws NoNodeError.
 */
export async function readVoid(
  node: EvmNode,
  { intent, fromAddress, messageNonce: own }: EvmSend,
  known: Known = asSaid,
): Promise<EvmReady | undefined> {
  if (own === null) return undefined;
  const account = fromAddress as Hex;
  const [code, word] = await Promise.all([node.code(account), node.storage(account, MESSAGE_NONCE_SLOT)]);
  const runs = delegateOf(code);
  if ((runs === undefined && code !== '0x') || messageNonce(word) > BigInt(own)) return undefined;
  const ready = { ...READY, delegated: runs === intent.delegate, messageNonce: BigInt(own) };
  if (ready.delegated || intent.form === 'batch') return ready;
  return { ...ready, authorityNonce: await known((await confirmedNonce(node, account, 'latest')).nonce) };
}
