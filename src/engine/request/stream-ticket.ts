import type { Ids } from '../../base/ids.ts';
import { EnvelopeError, type TextVault } from '../../custody/types.ts';
import type { Organization } from '../../model/organization.ts';
import { readSession } from '../../model/read-only-session.ts';
import type { Caller } from '../context.ts';

/** How long a ticket may be used. */
export const TICKET_MS = 60_000;

/** Lets its user open one stream. Nothing is stored until it is used: the client brings it back sealed. */
export type StreamTicket = {
  /** The organization whose activities are streamed. */
  organizationId: string;
  /** Its top-level organization. */
  payerId: string;
  id: string;
  /** With those of its sub-organizations. */
  subOrganizations: boolean;
  /** Its stream names what changed, without bodies. */
  brief: boolean;
  /** The organization of the user, which may be the parent. */
  ownerId: string;
  userId: string;
  credentialId: string;
  /** The read-only session that asked. Null: a stamp did. */
  sessionId: string | null;
  /** When the credential ends, as the stamp showed it. Null: it does not. */
  endsAt: number | null;
  expiresAt: number;
};

/** Programs of before brief streams refuse the second form. They would open a full stream. */
const FORM = /^stb?_([0-9a-f-]{36})\.([0-9a-f-]{36})\.([\w-]{1,1000})$/;

type Vault = { texts: TextVault };

export type TicketWish = Pick<StreamTicket, 'subOrganizations' | 'brief'>;
type Asking = { caller: Caller; organization: Organization; session: string | undefined; now: number };

function writeTicket({ texts }: Vault, { organizationId, id, ...sealed }: StreamTicket): string {
  const text = texts.seal('stream-ticket', organizationId, id, Buffer.from(JSON.stringify(sealed)));
  return `${sealed.brief ? 'stb' : 'st'}_${organizationId}.${id}.${text.toString('base64url')}`;
}

/** A ticket for the caller of a query. `session`: the text of a read-only session that asked. */
export function newTicket(
  { vault, ids }: { vault: Vault; ids: Ids },
  { caller, organization, session, now }: Asking,
  wish: TicketWish,
): { ticket: string; expiresAt: number } {
  const { organization: owner, user, credential } = caller;
  const sessionId = session === undefined ? null : (readSession(session)?.id ?? null);
  const expiresAt = now + TICKET_MS;
  const holder = { ownerId: owner.id, userId: user.id, credentialId: credential.id, sessionId, endsAt: credential.expiresAt };
  const payerId = organization.parentId ?? organization.id;
  const ticket = writeTicket(vault, { organizationId: organization.id, payerId, id: ids.next(), ...wish, ...holder, expiresAt });
  return { ticket, expiresAt };
}

/** Undefined for a text that this service did not make. */
export function readTicket({ texts }: Vault, text: string): StreamTicket | undefined {
  const [, organizationId, id, sealed] = FORM.exec(text) ?? [];
  if (organizationId === undefined || id === undefined || sealed === undefined) return undefined;
  try {
    const opened = texts.open('stream-ticket', organizationId, id, Buffer.from(sealed, 'base64url'));
    return { organizationId, id, ...JSON.parse(opened.toString()) };
  } catch (error) {
    if (error instanceof EnvelopeError) return undefined;
    throw error;
  }
}
