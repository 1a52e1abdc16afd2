import { joined, type Reading } from '../../chains/shared/transfers.ts';
import type { Measured } from '../../engine/activity/measured.ts';
import type { ToMeasure, Velocity } from '../../engine/activity/velocity.ts';
import { addsNothing, type Spend, satisfies, totalWith } from '../../model/velocity-spend.ts';
import type { Reader } from '../../store/types.ts';
import { type Added, addedBy } from './added.ts';
import type { ControlCache } from './control-cache.ts';
import type { Bucket, Judged } from './judged.ts';
import { refusalOf } from './refusal.ts';
import type { Terms } from './terms.ts';

/** The key that an activity signs with, and what that takes. */
type Part = { walletId: string | null; keyId: string; publicKey: string; reading: Reading };

const NOBODY: Part = { walletId: null, keyId: '', publicKey: '', reading: joined([]) };

/** The keys of the activity, and what each signature takes. An activity that signs nothing may still name a wallet or a key. */
async function partsOf(read: Reader, { activity, organization }: ToMeasure): Promise<readonly Part[]> {
  const { kind, intent } = activity;
  if (kind.takes === undefined) {
    const { walletId, privateKeyId } = intent as { walletId?: unknown; privateKeyId?: unknown };
    const [wallet, key] = [walletId, privateKeyId].map((id) => (typeof id === 'string' ? id : ''));
    return [{ ...NOBODY, walletId: wallet === '' ? null : wallet!, keyId: key! }];
  }
  const taken = await kind.takes({ ctx: { read, organization }, intent, subject: await activity.subject() });
  return taken.map(({ signer, publicKey, reading }) => ({
    walletId: signer.walletId,
    keyId: signer.keyId,
    publicKey,
    reading: reading as Reading,
  }));
}

const isIn = (ids: ReadonlySet<string> | undefined, ...some: readonly string[]): boolean =>
  ids === undefined || some.some((id) => ids.has(id));

/** Whether the submitter is one whom the scope names, or has a tag that it names. */
function coversUser({ scope: { userIds, userTagIds } }: Terms, userId: string, tags: readonly string[]): boolean {
  if (userIds === undefined && userTagIds === undefined) return true;
  return (userIds?.has(userId) ?? false) || (userTagIds !== undefined && isIn(userTagIds, ...tags));
}

function coversKey({ scope: { walletIds, privateKeyIds } }: Terms, { walletId, keyId }: Part): boolean {
  if (walletIds === undefined && privateKeyIds === undefined) return true;
  return walletId === null ? (privateKeyIds?.has(keyId) ?? false) : (walletIds?.has(walletId) ?? false);
}

/** A key that belongs to no wallet is a bucket of its own. */
function bucketOf({ groupBy, bySigner }: Terms, { walletId, keyId, publicKey }: Part, userId: string): string {
  const group = groupBy === 'organization' ? '' : groupBy === 'user' ? userId : (walletId ?? keyId);
  return bySigner ? `${group}/${publicKey}` : group;
}

const coversKind = ({ kinds, assets }: Terms, { kind }: ToMeasure['activity']): boolean =>
  kinds?.has(kind.kind) ?? (assets === undefined || kind.takes !== undefined);

async function judge(read: Reader, terms: Terms, parts: readonly Part[], { organization, userId, now }: ToMeasure) {
  const { assets, comparison, window, control } = terms;
  const buckets = new Map<string, Added>();
  for (const part of parts.filter((each) => coversKey(terms, each))) {
    const name = bucketOf(terms, part, userId);
    const added = assets === undefined ? { amount: 0n, count: 1 } : addedBy(part.reading, terms);
    const { amount, count, unreadable } = buckets.get(name) ?? { amount: 0n, count: 0 };
    // One activity is counted once in a bucket, with however many keys it signs.
    const more = assets === undefined ? 1 : count + added.count;
    buckets.set(name, {
      amount: amount + added.amount,
      count: more,
      ...((unreadable ?? added.unreadable) && { unreadable: unreadable ?? added.unreadable }),
    } as Added);
  }
  if (buckets.size === 0) return undefined;
  const judged = await Promise.all(
    [...buckets].map(async ([name, added]): Promise<Bucket> => {
      const steps = window.kind === 'transaction' ? [] : await read.velocityCounters.steps(organization.id, control.id, name);
      return { name, added, steps, holds: satisfies(comparison, totalWith(window, steps, added, now)) };
    }),
  );
  return { terms, buckets: judged, unreadable: [...buckets.values()].find((one) => one.unreadable !== undefined)?.unreadable };
}

/** With several buckets, a control below a threshold must hold in each, and one that reports too much in any. */
function truthOf({ terms, buckets, unreadable }: Judged): boolean | string {
  if (unreadable !== undefined) return unreadable;
  const { operator } = terms.comparison;
  const isLimit = operator === 'LESS_THAN' || operator === 'LESS_THAN_OR_EQUAL';
  return isLimit ? buckets.every(({ holds }) => holds) : buckets.some(({ holds }) => holds);
}

/** Whether a control that binds every signer is concerned: only what adds to it is. */
const binds = ({ terms, buckets, unreadable }: Judged): boolean =>
  terms.always && (unreadable !== undefined || buckets.some(({ added }) => !addsNothing(added)));

function spendsOf(judged: readonly Judged[], isRead: (identifier: string) => boolean): Spend[] {
  return judged.flatMap((one) => {
    const { control, comparison, window } = one.terms;
    const isGuarded = binds(one) || isRead(control.identifier);
    return one.buckets.flatMap(({ name, added, holds }) => {
      if (!isGuarded && addsNothing(added)) return [];
      const { amount, count } = added;
      const spend = { controlId: control.id, bucket: name, window, amount, count };
      return [isGuarded ? { ...spend, guard: { ...comparison, holds } } : spend];
    });
  });
}

export function velocity(controls: ControlCache): Velocity {
  return async (read, measured): Promise<Measured | undefined> => {
    const { organization, activity, userId, now } = measured;
    const { all } = await controls(read, organization);
    const possible = all.filter((terms) => coversKind(terms, activity));
    if (possible.length === 0) return undefined;
    const tagged = possible.some(({ scope }) => scope.userTagIds !== undefined);
    const tags = tagged ? await read.tags.ofMember(organization.id, userId) : [];
    const covering = possible.filter((terms) => coversUser(terms, userId, tags));
    if (covering.length === 0) return undefined;
    const parts = await partsOf(read, measured);
    const found = await Promise.all(covering.map((terms) => judge(read, terms, parts, measured)));
    const judged = found.filter((one) => one !== undefined);
    return {
      organizationId: organization.id,
      controls: new Map(judged.map((one) => [one.terms.control.identifier, truthOf(one)])),
      refusal: () =>
        refusalOf(
          judged.filter((one) => binds(one) && truthOf(one) !== true),
          now,
        ),
      spends: (names) => spendsOf(judged, (identifier) => names.includes(identifier)),
    };
  };
}
