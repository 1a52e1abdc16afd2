import { readSignedTransaction } from '../../../../chains/ethereum/signed-transaction.ts';
import { lookUpSigner } from '../../../../domain/keys/signers.ts';
import type { SendAccount } from '../../../../model/send.ts';
import type { Reader, SealedSigner } from '../../../../store/types.ts';
import { NoNodeError } from '../../../nodes/types.ts';
import { plainFailure, type SendError } from '../../error.ts';
import { type EvmReady, readEvm, readVoid } from '../read.ts';
import { knownTo } from './known.ts';
import { fateOf, isPublic, withFate } from './left-behind.ts';
import { whyRefused } from './refusal.ts';
import { isInTheWay } from './replace.ts';
import { cancelled, hasMessage } from './rows.ts';
import { several } from './several.ts';
import { overShare } from './shares.ts';
import { hasRoom } from './spending.ts';
import type { EvmRow, Work } from './work.ts';

type Hex = `0x${string}`;

/** Our counts for the account that signs a message, from before the chain was asked about it. */
export type Authority = Pick<SendAccount, 'nextNonce' | 'messagesTaken' | 'messages'>;

const UNKNOWN: Authority = { nextNonce: null, messagesTaken: 0, messages: 0 };

/** The plan for a queued send. */
export type Plan =
  | { is: 'sign'; send: EvmRow; reading: EvmReady; signer: SealedSigner | undefined; authority: Authority | undefined }
  | { is: 'fail'; send: EvmRow; error: SendError }
  | { is: 'wait'; send: EvmRow; ms: number };

/** How long a send waits for something else before it is looked at again. */
export const WAIT_MS = 500;
/** Questions to nodes are asked less often the longer a send waits, but at least this often. */
const LONGEST_WAIT_MS = 10_000;
/** How long a send waits that exceeds the share of its organization. */
const SHARE_MS = 3_000;
/** How long a send waits that cannot be planned or signed at all: others go on. */
const TROUBLE_MS = 30_000;

const GONE = 'the key that was to sign it is deleted or disabled';
const NO_ROOM =
  'it is not signed again: gas sponsorship is switched off, or its limits have no room after what made way for others';

/** Whether the account that authorizes has pending transactions of its own. */
export async function isSending(
  { sendsOfAccount }: Pick<Reader, 'sendsOfAccount'>,
  { caip2, fromAddress }: EvmRow,
): Promise<boolean> {
  const key = { caip2, account: fromAddress };
  for (const state of ['signed', 'sent'] as const)
    if ((await sendsOfAccount.byNonce(key, state, { limit: 1 })).length > 0) return true;
  return false;
}

type Signers = Map<string, Promise<SealedSigner | undefined>>;
type Queued = { send: EvmRow; place: number };

/** `place`: how many messages of the same account were accepted before it. Those with a given nonce have an order of their own. */
function placed(queued: readonly EvmRow[]): Queued[] {
  const before = new Map<string, number>();
  const places = new Map<EvmRow, number>();
  for (const send of queued.filter(({ ordered }) => ordered).toSorted((a, b) => (a.id < b.id ? -1 : 1))) {
    const place = before.get(send.fromAddress) ?? 0;
    places.set(send, place);
    before.set(send.fromAddress, place + 1);
  }
  return queued.map((send) => ({ send, place: places.get(send) ?? 0 }));
}

/** Messages of an account are signed in the order of acceptance, whichever lane brings them. */
async function isFirst({ read }: Work, send: EvmRow): Promise<boolean> {
  if (!send.ordered) return true;
  const first = await read.sendsOfAccount.firstMessage(send);
  return first === undefined || first === send.id;
}

/** How long after its nonce was used a receipt may come: if every endpoint answers, and if only some do. */
const RECEIPT_MS = { all: 5_000, some: 600_000 };

/** Whether a raw transaction itself used its nonce: its signer may have sent it too. */
export async function rawInBlock({ node, clock }: Work, { intent, createdAt }: EvmRow): Promise<'yes' | 'no' | 'unsure'> {
  const { hash } = readSignedTransaction(Buffer.from(intent.signed!.slice(2), 'hex'));
  const { value, answered, endpoints } = await node.receipt(hash as Hex);
  if (value !== undefined) return 'yes';
  return clock.now() - createdAt < (answered === endpoints ? RECEIPT_MS.all : RECEIPT_MS.some) ? 'unsure' : 'no';
}

/** Whether a queued send is cancelled. Its message was broadcast: it must be voided, or nothing is left to do. */
export const isVoiding = ({ wish }: EvmRow): boolean => wish?.what === 'cancel';

async function isNothingLeft({ read, clock }: Work, send: EvmRow): Promise<boolean> {
  if (!isVoiding(send)) return false;
  return !isPublic(send, await read.sendAttempts.ofSend(send.organizationId, send.id), clock.now());
}

/** The plan to fail a send, with the fate of its message if that was broadcast before. */
async function failing(work: Work, send: EvmRow, error: SendError): Promise<Plan> {
  if (send.messageNonce === null) return { is: 'fail', send, error };
  const attempts = await work.read.sendAttempts.ofSend(send.organizationId, send.id);
  const told = isVoiding(send) ? cancelled(send) : error;
  return { is: 'fail', send, error: withFate(told, await fateOf(work, send, attempts, undefined)) };
}

async function planOf(work: Work, { send, place }: Queued, signers: Signers): Promise<Plan> {
  const { intent, organizationId, createdAt } = send;
  if (intent.gas === null) return { is: 'fail', send, error: await whyRefused(work, send) };
  let signer: SealedSigner | undefined;
  if (intent.form !== 'raw') {
    const name = `${organizationId} ${intent.signWith}`;
    const asked = signers.get(name) ?? lookUpSigner(work.read, organizationId, intent.signWith);
    signers.set(name, asked);
    signer = await asked;
    if (signer === undefined || signer.signer.disabled) return failing(work, send, plainFailure(GONE));
  }
  if (await isNothingLeft(work, send)) return failing(work, send, cancelled(send));
  if (await isInTheWay(work, send)) return { is: 'wait', send, ms: LONGEST_WAIT_MS };
  const authority = hasMessage(send)
    ? ((await work.read.sendAccounts.get({ caip2: send.caip2, account: send.fromAddress })) ?? UNKNOWN)
    : undefined;
  // Nodes are not asked about sends that wait here. There may be thousands, of one account among many that a paymaster pays for.
  if (authority !== undefined && (place > 0 || authority.messages > 0 || !(await isFirst(work, send))))
    return { is: 'wait', send, ms: WAIT_MS * (1 + place) };
  if (!(await hasRoom(work, send))) return failing(work, send, plainFailure(NO_ROOM));
  const now = work.clock.now();
  const reading = isVoiding(send)
    ? await readVoid(work.node, send, knownTo(work, send))
    : await readEvm(work.node, send, now, knownTo(work, send));
  if (reading === undefined) return failing(work, send, cancelled(send));
  if (reading.is !== 'ready')
    return reading.is === 'wait'
      ? { is: 'wait', send, ms: Math.min(Math.max((now - createdAt) / 8, WAIT_MS), LONGEST_WAIT_MS) }
      : failing(work, send, plainFailure(reading.message));
  if (reading.authorityNonce !== null && (await isSending(work.read, send))) return { is: 'wait', send, ms: WAIT_MS };
  return { is: 'sign', send, reading, signer, authority };
}

/** The send waits for longer, and those behind it go on. */
export function troubled({ log, key }: Work, send: EvmRow, error: unknown): Plan {
  if (error instanceof NoNodeError) throw error;
  log.error({ ...key, sendId: send.id, error }, 'a send could not be signed; it is tried again');
  return { is: 'wait', send, ms: TROUBLE_MS };
}

/** Plans queued sends. */
export async function plansOf(work: Work, queued: readonly EvmRow[], row: SendAccount): Promise<Plan[]> {
  const signers: Signers = new Map();
  const isOver = await overShare(work, row);
  return several(placed(queued), async (one): Promise<Plan> => {
    if (isOver(one.send)) return { is: 'wait', send: one.send, ms: SHARE_MS };
    return planOf(work, one, signers).catch((error) => troubled(work, one.send, error));
  });
}
