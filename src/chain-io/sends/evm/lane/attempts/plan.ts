import { holdsSends } from '../../../../../domain/keys/frozen.ts';
import { lookUpSigner } from '../../../../../domain/keys/signers.ts';
import type { Log } from '../../../../../engine/ports.ts';
import { type AccountKey, hasMessage, type SendAccount } from '../../../../../model/send.ts';
import type { SealedSigner } from '../../../../../store/types.ts';
import { NoNodeError } from '../../../../nodes/types.ts';
import { plainFailure, type SendError } from '../../../error.ts';
import { mapConcurrently } from '../../../map-concurrently.ts';
import { type EvmReady, readEvm, readVoid } from '../../read.ts';
import { correctionFor } from '../nonces/authorized.ts';
import type { Costs, EvmRow, OnChain, Owner, Rows } from '../parts.ts';
import { cancelled, hasPending, isCancelled } from '../rows.ts';
import { fateOf, isPublic, withFate } from './message-fate.ts';
import { whyRefused } from './refused-estimate.ts';
import { overShare } from './shares.ts';
import { hasRoom, isPricedOut } from './spending.ts';

/** What the plan of a send is made from. */
export type Planning = Owner & OnChain & Costs & { log: Pick<Log, 'error'> };

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
async function isFirst({ read }: Pick<Rows, 'read'>, send: EvmRow): Promise<boolean> {
  if (!send.ordered) return true;
  const first = await read.sendsOfAccount.firstMessage(send);
  return first === undefined || first === send.id;
}

/** Whether a queued send is cancelled, and no other party can bring its message any more. */
async function isNothingLeft({ read, clock }: Rows, send: EvmRow): Promise<boolean> {
  if (!isCancelled(send)) return false;
  return !isPublic(send, await read.sendAttempts.ofSend(send.organizationId, send.id), clock.now());
}

/** The plan to fail a send, with the fate of its message if that was broadcast before. */
async function failing(planning: Planning, send: EvmRow, error: SendError): Promise<Plan> {
  if (send.messageNonce === null) return { is: 'fail', send, error };
  const attempts = await planning.read.sendAttempts.ofSend(send.organizationId, send.id);
  const told = isCancelled(send) ? cancelled(send) : error;
  return { is: 'fail', send, error: withFate(told, await fateOf(planning, send, attempts, undefined)) };
}

async function planOf(planning: Planning, { send, place }: Queued, signers: Signers): Promise<Plan> {
  const { intent, organizationId, createdAt } = send;
  if (intent.gas === null) return { is: 'fail', send, error: await whyRefused(planning, send) };
  let signer: SealedSigner | undefined;
  if (intent.form !== 'raw') {
    const name = `${organizationId} ${intent.signWith}`;
    const asked = signers.get(name) ?? lookUpSigner(planning.read, organizationId, intent.signWith);
    signers.set(name, asked);
    signer = await asked;
    if (signer === undefined || signer.signer.disabled) return failing(planning, send, plainFailure(GONE));
    if (!isCancelled(send) && (await holdsSends(planning.read, signer))) return { is: 'wait', send, ms: WAIT_MS };
  }
  if (await isNothingLeft(planning, send)) return failing(planning, send, cancelled(send));
  if (await isPricedOut(planning, send)) return { is: 'wait', send, ms: LONGEST_WAIT_MS };
  const authorizing = { caip2: send.caip2, account: send.fromAddress };
  const authority = hasMessage(send) ? ((await planning.read.sendAccounts.get(authorizing)) ?? UNKNOWN) : undefined;
  // Nodes are not asked about sends that wait here. There may be thousands, of one account among many that a paymaster pays for.
  if (authority !== undefined && (place > 0 || authority.messages > 0 || !(await isFirst(planning, send))))
    return { is: 'wait', send, ms: WAIT_MS * (1 + place) };
  if (!(await hasRoom(planning, send))) return failing(planning, send, plainFailure(NO_ROOM));
  const now = planning.clock.now();
  const reading = isCancelled(send)
    ? await readVoid(planning.node, send, correctionFor(planning, send))
    : await readEvm(planning.node, send, now, correctionFor(planning, send));
  if (reading === undefined) return failing(planning, send, cancelled(send));
  if (reading.is !== 'ready')
    return reading.is === 'wait'
      ? { is: 'wait', send, ms: Math.min(Math.max((now - createdAt) / 8, WAIT_MS), LONGEST_WAIT_MS) }
      : failing(planning, send, plainFailure(reading.message));
  if (reading.authorityNonce !== null && (await hasPending(planning.read, authorizing))) return { is: 'wait', send, ms: WAIT_MS };
  return { is: 'sign', send, reading, signer, authority };
}

/** The plan of a send whose plan or signature failed: it waits for longer, and those behind it go on. */
export function waitAfterError({ log, key }: { log: Pick<Log, 'error'>; key: AccountKey }, send: EvmRow, error: unknown): Plan {
  if (error instanceof NoNodeError) throw error;
  log.error({ ...key, sendId: send.id, error }, 'a send could not be signed; it is tried again');
  return { is: 'wait', send, ms: TROUBLE_MS };
}

/** Plans queued sends. */
export async function plansOf(planning: Planning, queued: readonly EvmRow[], row: SendAccount, latest: number): Promise<Plan[]> {
  const signers: Signers = new Map();
  const isOver = await overShare(planning, row, latest);
  return mapConcurrently(placed(queued), async (one): Promise<Plan> => {
    if (isOver(one.send)) return { is: 'wait', send: one.send, ms: SHARE_MS };
    return planOf(planning, one, signers).catch((error) => waitAfterError(planning, one.send, error));
  });
}
