import { toHex } from '../../base/bytes.ts';
import { ApiError, Busy, Unreachable } from '../../base/errors.ts';
import { isObject } from '../../base/json.ts';
import { endsOf, spelled } from '../../chains/look-alike.ts';
import { ANY, type Asset } from '../../chains/shared/transfers.ts';
import { sha256 } from '../../crypto/hash.ts';
import { type DecodedActivity, resolveActivity } from '../../engine/activity/decode.ts';
import { SEALED_TEXT } from '../../model/activity.ts';
import type { Subject } from '../../model/audit-fact.ts';
import { parseCaip2 } from '../../model/caip2.ts';
import type { Organization } from '../../model/organization.ts';
import type { Reader } from '../../store/types.ts';

/** Of one activity. Facts lack the rest. */
export const MOST_PAYEES = 50;

/** The same reading may succeed later. */
const isPassing = (error: unknown): boolean =>
  error instanceof Busy || error instanceof Unreachable || (error instanceof ApiError && error.http >= 500);

/** A sponsor is known only while a request is decided. It pays the fee, and changes no recipient. */
const withoutSponsor = (decoded: DecodedActivity): DecodedActivity =>
  isObject(decoded.intent) && decoded.intent.sponsor === true
    ? { ...decoded, intent: { ...decoded.intent, sponsor: false } }
    : decoded;

const textOf = ({ network, address }: Payee): string => `${network} ${address}`;

/** Bytes of no known format name no account. Most signatures are of such, so no key is looked up for them. */
const isUnread = ({ kind, intent }: DecodedActivity): boolean =>
  isObject(intent) && Object.entries(kind.unread ?? {}).some(([name, values]) => values.includes(String(intent[name])));

/** `network`: where the account is paid, since a test network costs nothing. */
export type Payee = { network: string; address: string };

/** Transactions of Solana name no network, and a send does. */
function networkOf({ intent }: DecodedActivity, { namespace, chain }: Asset): string {
  const sent = chain === ANY && isObject(intent) && typeof intent.caip2 === 'string' ? parseCaip2(intent.caip2) : undefined;
  return sent?.kind === 'solana' && sent.cluster !== 'mainnet' ? sent.caip2 : `${namespace}:${chain}`;
}

/** Accounts that an activity pays or approves, read from the signed bytes. Empty if its key is gone or it cannot be read. */
export async function recipientsOf(read: Reader, organization: Organization, decoded: DecodedActivity): Promise<Payee[]> {
  if (decoded.kind.takes === undefined || isUnread(decoded)) return [];
  const { kind, intent, subject } = resolveActivity(read, organization, withoutSponsor(decoded));
  try {
    const taken = await kind.takes!({ ctx: { read, organization }, intent, subject: await subject() });
    const paid = new Map<string, Payee>();
    for (const { asset, recipient } of taken.flatMap(({ reading }) => reading.transfers)) {
      if (recipient === undefined) continue;
      const payee = { network: networkOf(decoded, asset), address: spelled(recipient) };
      paid.set(textOf(payee), payee);
    }
    return [...paid.values()].slice(0, MOST_PAYEES);
  } catch (error) {
    if (isPassing(error)) throw error;
    return [];
  }
}

function* textsAt(value: unknown, within: boolean): Generator<string> {
  if (typeof value === 'string') {
    if (within) yield value;
  } else if (typeof value === 'object' && value !== null)
    for (const [name, each] of Object.entries(value))
      yield* textsAt(each, name === 'addresses' || name === 'address' || (within && Array.isArray(value)));
}

/** The addresses of accounts that an activity made. A member of such a list may be an object with an address. */
export function addressesMade(result: string): string[] {
  if (result === '' || result.startsWith(SEALED_TEXT)) return [];
  const found = [...textsAt(JSON.parse(result), false)].map(spelled);
  return [...new Set(found)].slice(0, MOST_PAYEES);
}

/** Of an id's length. Another address with the same one would only be taken as known. */
function digestOf(text: string): string {
  const hex = toHex(sha256(Buffer.from(text))).slice(0, 32);
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

export const recipientSubject = (payee: Payee): Subject => ({ kind: 'recipient', subjectId: digestOf(textOf(payee)) });

export const endsSubject = (address: string): Subject => ({ kind: 'ends', subjectId: digestOf(endsOf(address)) });

/** The subjects of a completed activity by which a later one finds its recipients. */
export const addressSubjects = (paid: readonly Payee[], made: readonly string[]): Subject[] => [
  ...paid.map(recipientSubject),
  ...[...paid.map(({ address }) => address), ...made].map(endsSubject),
];
