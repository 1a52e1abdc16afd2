import type { Clock } from '../../base/clock.ts';
import { ApiError, noOrganization } from '../../base/errors.ts';
import type { Vault } from '../../custody/types.ts';
import type { Log, Trace } from '../../engine/ports.ts';
import { checkAddress } from '../../engine/request/ip-allowlist.ts';
import { type StreamHolder, streamHolder } from '../../engine/request/stream-holder.ts';
import { readTicket, type StreamTicket } from '../../engine/request/stream-ticket.ts';
import type { StreamInterest } from '../../model/stream.ts';
import type { Store } from '../../store/types.ts';
import { RESUMED_MS } from './times.ts';

export type StreamRequest = {
  /** Undefined: the request has none. */
  ticket: string | undefined;
  lastEventId: string | undefined;
  /** The client's address. Undefined: its connection has ended. */
  address: string | undefined;
};

const ASK_FOR_ONE = 'ask for a new one with query/create_stream_ticket';
const unauthenticated = (why: string) => new ApiError('UNAUTHENTICATED', `authentication failed: ${why}: ${ASK_FOR_ONE}`);

type Parts = { store: Store; vault: Pick<Vault, 'texts'>; clock: Clock; log: Log };

/** The ticket of a request. Nothing is looked up for a text that this service did not make. Throws UNAUTHENTICATED. */
export function ticketOf({ vault }: Pick<Parts, 'vault'>, text: string | undefined, now: number): StreamTicket {
  if (text === undefined) throw unauthenticated('a stream needs a ticket');
  const ticket = readTicket(vault, text);
  if (ticket === undefined) throw unauthenticated('the ticket is unknown');
  if (ticket.expiresAt <= now) throw unauthenticated('the ticket has expired');
  return ticket;
}

/** Throws UNAUTHENTICATED and REQUEST_NOT_AUTHORIZED unless the user may still read, from this address. */
export async function holderOf(
  { store }: Pick<Parts, 'store'>,
  ticket: StreamTicket,
  address: string | undefined,
  { now, trace }: { now: number; trace: Trace },
): Promise<StreamHolder> {
  const holder = await streamHolder(store.read, ticket, now);
  if (holder === undefined) throw unauthenticated('the credential of the ticket has ended');
  checkAddress(holder.organization, holder.credential, address, trace);
  return holder;
}

/** Whether the allow-lists have the address of a stream. */
export function isAllowedFrom({ organization, credential }: StreamHolder, address: string | undefined): boolean {
  try {
    checkAddress(organization, credential, address, {});
    return true;
  } catch {
    return false;
  }
}

/** Uses of tickets that expired are removed a few at a time: one use makes one row. */
const SWEPT_AT_ONCE = 20;
/** Clocks of processes differ by less. */
const FORGOTTEN_AFTER_MS = 86_400_000;

/** Has events recorded: what saw no stream and began before has ended. Throws ORGANIZATION_NOT_FOUND. */
export async function record(
  { store, clock, log }: Pick<Parts, 'store' | 'clock' | 'log'>,
  { organizationId }: StreamTicket,
): Promise<StreamInterest> {
  const interest = await store.transaction(async (tx) => {
    if ((await tx.organizations.hold(organizationId)) === undefined) throw noOrganization(organizationId);
    return tx.streams.open(organizationId, clock.now() + RESUMED_MS);
  });
  if (!(await store.earlierEnded()))
    log.warn({ organizationId }, 'a statement of the database takes long: a stream that begins now may miss its activity');
  return interest;
}

/** Uses the ticket up, when nothing else can fail. Throws UNAUTHENTICATED. */
export async function spend(
  { store, clock }: Pick<Parts, 'store' | 'clock'>,
  { organizationId, id, expiresAt }: StreamTicket,
): Promise<void> {
  await store.transaction(async (tx) => {
    await tx.tokenUses.sweep(organizationId, clock.now() - FORGOTTEN_AFTER_MS, SWEPT_AT_ONCE);
    if (!(await tx.tokenUses.insert({ organizationId, tokenId: id, purpose: 'stream', expiresAt })))
      throw unauthenticated('the ticket was already used');
  });
}

/** The end of an organization's id keeps ids of other organizations out. */
export const eventId = (organizationId: string, sequence: number): string => `${organizationId.slice(-12)}-${sequence}`;

/** The sequence to go on from. Undefined: events after this id were not recorded, or removed. */
export function resumedFrom({ organizationId, since, sequence }: StreamInterest, lastEventId: string): number | undefined {
  const [, whose, digits] = /^([0-9a-f]{12})-(\d{1,15})$/.exec(lastEventId) ?? [];
  const from = Number(digits);
  return whose === organizationId.slice(-12) && from >= since && from <= sequence ? from : undefined;
}
