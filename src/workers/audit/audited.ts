import { setImmediate } from 'node:timers/promises';
import { UUID } from '../../base/ids.ts';
import { addressesMade, addressSubjects, recipientsOf } from '../../domain/audit/recipients.ts';
import { formsOfSigner } from '../../domain/keys/signers.ts';
import type { DecodedActivity, Decoder } from '../../engine/activity/decode.ts';
import type { Activity } from '../../model/activity.ts';
import type { Audited, Subject } from '../../model/audit-fact.ts';
import type { Organization } from '../../model/organization.ts';
import type { Reader, ToAudit } from '../../store/types.ts';
import { decodedOf, type Named, walletsNamed } from './wallets-named.ts';

/** Activities after which requests go first. */
const AT_ONCE = 25;

async function whole(read: Reader, { body, result, ...row }: ToAudit): Promise<Activity | undefined> {
  if (body !== null && result !== null) return { ...row, body, result } as Activity;
  return read.activities.get(row.organizationId, row.id);
}

/** What an activity names, and digests of the addresses that it pays or makes. */
type NamedAll = Named & { addresses: readonly Subject[] };

const NOTHING: NamedAll = { walletIds: new Set(), signers: new Set(), addresses: [] };

/** Refused and waiting activities paid nothing. */
async function addressesOf(read: Reader, of: Organization | undefined, activity: Activity, decoded: DecodedActivity) {
  if (activity.status !== 'ACTIVITY_STATUS_COMPLETED' || of === undefined) return [];
  const made = /^(?:CREATE|IMPORT)_/.test(decoded.kind.kind) ? addressesMade(activity.result) : [];
  return addressSubjects(await recipientsOf(read, of, decoded), made);
}

async function namedBy(read: Reader, rows: readonly ToAudit[], decode: Decoder): Promise<NamedAll[]> {
  const organizations = new Map<string, Promise<Organization | undefined>>();
  const organizationOf = (id: string) => {
    const found = organizations.get(id) ?? read.organizations.get(id);
    organizations.set(id, found);
    return found;
  };
  const one = async (row: ToAudit): Promise<NamedAll> => {
    const activity = await whole(read, row);
    if (activity === undefined) return NOTHING;
    const decoded = decodedOf(activity, decode);
    const addresses = decoded && (await addressesOf(read, await organizationOf(row.organizationId), activity, decoded));
    return { ...walletsNamed(activity, decoded), addresses: addresses ?? [] };
  };
  const all: NamedAll[] = [];
  for (let i = 0; i < rows.length; i += AT_ONCE) {
    // Look-ups at once share a round trip.
    all.push(...(await Promise.all(rows.slice(i, i + AT_ONCE).map(one))));
    await setImmediate();
  }
  return all;
}

/** The wallets of signers: as they are named, and only then in the other forms of an address. */
async function walletsOfSigners(read: Reader, rows: readonly ToAudit[], named: readonly Named[]) {
  const asked = rows.flatMap(({ organizationId }, i) =>
    [...named[i]!.signers].map((signer) => ({ organizationId, signer, key: `${organizationId} ${signer}` })),
  );
  const found = await read.auditing.walletsOf(asked.map(({ organizationId, signer }) => ({ organizationId, address: signer })));
  const others = asked.filter(({ key }) => !found.has(key)).map((one) => ({ ...one, forms: [...formsOfSigner(one.signer)] }));
  const more = await read.auditing.walletsOf(
    others.flatMap(({ organizationId, forms }) => forms.map((address) => ({ organizationId, address }))),
  );
  for (const { organizationId, key, forms } of others)
    found.set(
      key,
      forms.flatMap((form) => more.get(`${organizationId} ${form}`) ?? []),
    );
  return (organizationId: string, signer: string): string[] => found.get(`${organizationId} ${signer}`) ?? [];
}

async function votersOf(read: Reader, { organizationId, id, version }: ToAudit): Promise<Subject[]> {
  // Nothing happened to it after it was written.
  if (version === 1) return [];
  return (await read.auditing.votedOn(organizationId, id)).flatMap(({ userId, credentialId }): Subject[] => [
    { kind: 'user', subjectId: userId },
    { kind: 'credential', subjectId: credentialId },
  ]);
}

const distinct = (subjects: readonly Subject[]): Subject[] => [
  ...new Map(subjects.map((one) => [`${one.kind} ${one.subjectId}`, one])).values(),
];

/** The facts of activities, for auditors. */
export async function auditedOf(read: Reader, rows: readonly ToAudit[], decode: Decoder): Promise<Audited[]> {
  const named = await namedBy(read, rows, decode);
  const walletsOf = await walletsOfSigners(read, rows, named);
  const audited: Audited[] = [];
  for (const [i, row] of rows.entries()) {
    const { organizationId, id, type, status, userId, credentialId, createdAt, updatedAt } = row;
    const { walletIds, signers, addresses } = named[i]!;
    const own = [...walletIds].filter((one) => UUID.test(one)).map((one) => one.toLowerCase());
    const used = [...signers].flatMap((signer) => walletsOf(organizationId, signer));
    const all = [...new Set([...own, ...used])];
    audited.push({
      ...{ organizationId, activityId: id, type, status, userId, credentialId, walletIds: all, createdAt, updatedAt },
      subjects: distinct([
        { kind: 'user', subjectId: userId },
        { kind: 'credential', subjectId: credentialId },
        ...all.map((subjectId): Subject => ({ kind: 'wallet', subjectId })),
        ...(await votersOf(read, row)),
        ...addresses,
      ]),
    });
  }
  return audited;
}
