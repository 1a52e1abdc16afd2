import { setImmediate } from 'node:timers/promises';
import { firstIdOf } from '../../base/id-time.ts';
import { looksLike } from '../../chains/look-alike.ts';
import type { Decoder } from '../../engine/activity/decode.ts';
import type { Activity } from '../../model/activity.ts';
import { type AuditFact, RECIPIENTS_SINCE, type Subject } from '../../model/audit-fact.ts';
import type { Organization } from '../../model/organization.ts';
import type { Reader } from '../../store/types.ts';
import { lookUpSigner } from '../keys/signers.ts';
import { addressesMade, endsSubject, MOST_PAYEES, type Payee, recipientSubject, recipientsOf } from './recipients.ts';

/** Another address that begins and ends alike. `isOwn`: its account was made here. Otherwise it was paid. */
export type Alike = { address: string; activityId: string; isOwn: boolean };

/** `earlier`: the latest activity before that paid or approved the account on the same network. `isOwn`: the organization has its key. */
export type RecipientSaid = { address: string; isOwn: boolean; earlier: AuditFact | undefined; alike: Alike | undefined };

export type RecipientsSaid = { recipients: RecipientSaid[]; more: boolean; since: number };

const MOST_SHOWN = 20;
/** Activities with an address that begins and ends alike, of the latest and of the first ones. */
const MOST_COMPARED = 3;

const COMPLETED = { statuses: ['ACTIVITY_STATUS_COMPLETED'] } as const;

/** Addresses that an activity made, and those that it paid. */
type Addresses = { made: readonly string[]; paid: readonly string[] };

/** `known`: activities that were read, since several recipients may lead to the same ones. */
type Asked = { read: Reader; organization: Organization; decode: Decoder; known: Map<string, Addresses | undefined> };

const before = ({ read, organization }: Asked, subject: Subject, { id }: Activity, limit: number): Promise<AuditFact[]> =>
  read.auditFacts.ofSubject(organization.id, subject, COMPLETED, { limit, after: id });

const first = ({ read, organization }: Asked, subject: Subject, { createdAt }: Activity, limit: number): Promise<AuditFact[]> =>
  read.auditFacts.ofSubject(organization.id, subject, { ...COMPLETED, until: createdAt }, { limit, before: firstIdOf(0) });

/** Undefined for an activity that is gone. */
async function addressesIn({ read, organization, decode, known }: Asked, activityId: string): Promise<Addresses | undefined> {
  if (known.has(activityId)) return known.get(activityId);
  // A body may have a megabyte, so other requests go in between.
  await setImmediate();
  const other = await read.activities.get(organization.id, activityId);
  const addresses = other && {
    made: addressesMade(other.result),
    paid: (await recipientsOf(read, organization, decode(other))).map(({ address }) => address),
  };
  known.set(activityId, addresses);
  return addresses;
}

async function alikeIn(asked: Asked, activityId: string, address: string): Promise<Alike | undefined> {
  const { made, paid } = (await addressesIn(asked, activityId)) ?? { made: [], paid: [] };
  const found = [...made, ...paid].find((each) => looksLike(each, address));
  return found === undefined ? undefined : { address: found, activityId, isOwn: made.includes(found) };
}

/** Small payments to the address itself may be all of the latest. The first ones are from before it was made. */
async function alikeOf(asked: Asked, activity: Activity, address: string): Promise<Alike | undefined> {
  const subject = endsSubject(address);
  const compared = new Set<string>();
  for (const some of [before, first])
    for (const { activityId } of await some(asked, subject, activity, MOST_COMPARED)) {
      if (compared.has(activityId)) continue;
      compared.add(activityId);
      const found = await alikeIn(asked, activityId, address);
      if (found !== undefined) return found;
    }
  return undefined;
}

/** An account that is paid on several networks is known if it is known on each. The oldest of their latest ones is told. */
async function earlierOf(asked: Asked, activity: Activity, payees: readonly Payee[]): Promise<AuditFact | undefined> {
  let oldest: AuditFact | undefined;
  for (const payee of payees) {
    const [earlier] = await before(asked, recipientSubject(payee), activity, 1);
    if (earlier === undefined) return undefined;
    if (oldest === undefined || earlier.createdAt < oldest.createdAt) oldest = earlier;
  }
  return oldest;
}

/** What the record knows of the accounts that an activity pays or approves. Each is a look-up or two in an index. */
export async function recipientsSaid(given: Omit<Asked, 'known'>, activity: Activity, now: number): Promise<RecipientsSaid> {
  const { read, organization, decode } = given;
  const asked = { ...given, known: new Map() };
  const all = await recipientsOf(read, organization, decode(activity));
  const recipients: RecipientSaid[] = [];
  const payees = Map.groupBy(all, ({ address }) => address);
  for (const [address, paid] of [...payees].slice(0, MOST_SHOWN)) {
    const earlier = await earlierOf(asked, activity, paid);
    const isOwn = (await lookUpSigner(read, organization.id, address)) !== undefined;
    recipients.push({ address, isOwn, earlier, alike: await alikeOf(asked, activity, address) });
  }
  const since = all.length === 0 ? undefined : await read.instance.get(RECIPIENTS_SINCE);
  // Further ones may have been left out, though few addresses on many networks are shown.
  const more = payees.size > recipients.length || all.length === MOST_PAYEES;
  return { recipients, more, since: since === undefined ? now : Number(since) };
}
