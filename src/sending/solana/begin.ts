import { failPoint } from '../../base/fail-point.ts';
import { EnvelopeError } from '../../custody/types.ts';
import type { Send } from '../../model/send.ts';
import type { SolanaBlockhash } from '../../nodes/solana/values.ts';
import type { SealedSigner, Writer } from '../../store/types.ts';
import { plainFailure } from '../error.ts';
import type { NextDue } from '../lane.ts';
import { type SolanaSigned, signSolana } from './sign.ts';
import { change, dueIn, fail, intentOf, type Work } from './work.ts';

/** How many are signed in one transaction. */
const BATCH = 32;

/** A blockhash counts for so many blocks. */
const VALID_BLOCKS = 150n;
/** A blockhash that the service chose is used for signing if it counts for so many blocks more. */
const ENOUGH_BLOCKS = 40n;
/** A caller may know later blocks than the nodes here. */
const AHEAD = 32n;

const SOON_MS = 400;
const LATER_MS = 30_000;

/** Which blockhash it is signed with, if not with its own, and until which block it counts. */
type Lifetime = { blockhash: string | undefined; last: bigint | undefined };

type Chain = { height: bigint; latest(): Promise<SolanaBlockhash> };

async function lifetimeOf({ memory }: Work, send: Send, { height, latest }: Chain): Promise<Lifetime> {
  const { blockhash, lastValidBlockHeight } = intentOf(send);
  if (blockhash === 'nonce') return { blockhash: undefined, last: undefined };
  if (blockhash === 'given') return { blockhash: undefined, last: height + VALID_BLOCKS + AHEAD };
  const last = BigInt(lastValidBlockHeight ?? 0);
  if (last >= height + ENOUGH_BLOCKS && memory.clashes.get(send.id) === undefined) return { blockhash: undefined, last };
  const found = await latest();
  return { blockhash: found.blockhash, last: found.lastValidBlockHeight };
}

function once<T>(ask: () => Promise<T>): () => Promise<T> {
  let asked: Promise<T> | undefined;
  return () => {
    asked ??= ask();
    return asked;
  };
}

/** The keys that sign; or why they do not. */
async function signersOf(tx: Writer, { organizationId, intent }: Send): Promise<SealedSigner[] | string> {
  const found: SealedSigner[] = [];
  for (const address of intentOf({ intent } as Send).signWiths) {
    const signer = await tx.signers.find(organizationId, address);
    if (signer === undefined) return `its key is gone: ${address}`;
    if (signer.signer.disabled) return `its key is disabled: ${address}`;
    found.push(signer);
  }
  return found;
}

/** Far more than anybody tries again. */
const TWINS = 64;

/** Another send whose transaction has the same bytes: the two would be one on the chain. One that failed is of no account. */
async function twinOf(tx: Writer, { organizationId, id }: Send, hash: string): Promise<string | undefined> {
  for (const { sendId } of await tx.sendAttempts.byHash(organizationId, hash, TWINS)) {
    const other = sendId === id ? undefined : await tx.sends.get(organizationId, sendId);
    if (other !== undefined && other.state !== 'failed') return sendId;
  }
  return undefined;
}

/** Undefined if a key does not open, which is told. Then others are signed all the same. */
function signed({ tools, log }: Work, send: Send, signing: Parameters<typeof signSolana>[1]): SolanaSigned | undefined {
  try {
    return signSolana(tools, signing);
  } catch (error) {
    if (!(error instanceof EnvelopeError)) throw error;
    log.warn({ sendId: send.id, error }, 'a key does not open: its transaction is not signed, and tried again');
    return undefined;
  }
}

/** Signs it and stores what is signed, in one transaction. */
export async function signOne(tx: Writer, work: Work, send: Send, number: number, lifetime: Lifetime): Promise<void> {
  const { clock, memory } = work;
  const { id: sendId, organizationId, sponsored } = send;
  const intent = intentOf(send);
  const signers = await signersOf(tx, send);
  if (typeof signers === 'string') return fail(tx, work, send, plainFailure(signers));
  await failPoint('before sign');
  const made = signed(work, send, { intent, sponsored, signers, blockhash: lifetime.blockhash });
  await failPoint('after sign');
  if (made === undefined) return change(tx, work, send, { dueAt: clock.now() + LATER_MS });
  const { hash } = made;
  const same = await twinOf(tx, send, hash);
  if (same !== undefined && intent.blockhash === 'chosen') {
    memory.clashes.set(sendId, true);
    return change(tx, work, send, { dueAt: clock.now() + SOON_MS });
  }
  if (same !== undefined)
    return fail(tx, work, send, plainFailure(`this very transaction was sent before, as ${same}: give it another blockhash`));
  memory.clashes.delete(sendId);
  await failPoint('before store-signature');
  const lastValidBlockHeight = lifetime.last === undefined ? null : Number(lifetime.last);
  await tx.sendAttempts.insert({
    organizationId,
    sendId,
    number,
    purpose: 'send',
    nonce: null,
    signed: made.signed,
    hash,
    fees: null,
    mayBeSent: false,
    said: '',
    lastValidBlockHeight,
    createdAt: clock.now(),
  });
  await change(tx, work, send, { state: number === 1 ? 'signed' : 'sent', hash, dueAt: clock.now() });
}

/** Queued sends become signed; or fail, if they were refused when they were tried out, or their key is gone. */
export async function begin(work: Work): Promise<NextDue> {
  const { read, clock, claimed, node } = work;
  const queued = await read.sendLanes.due(claimed, 'queued', clock.now(), BATCH);
  if (queued.length === 0) return dueIn(work, 'queued');
  const chain = { height: await node.blockHeight('confirmed'), latest: once(() => node.latestBlockhash()) };
  const lifetimes = await Promise.all(queued.map((send) => lifetimeOf(work, send, chain)));
  await claimed.transaction(async (tx) => {
    for (const [i, send] of queued.entries()) {
      const { refused } = intentOf(send);
      await (refused ? fail(tx, work, send, refused) : signOne(tx, work, send, 1, lifetimes[i]!));
    }
  });
  await failPoint('after store-signature');
  return dueIn(work, 'queued');
}
