import { isObject } from '../src/base/json.ts';
import { looksLike, spelled } from '../src/chains/look-alike.ts';
import { type Answer, objects } from './asking.ts';
import { addressesIn } from './look-alikes.ts';
import { fact } from './parts.ts';
import type { Call, Fact, SaidRecipients, Warning } from './types.ts';

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

/** A day of a time of the service. '' for none. */
function dayOf(time: unknown): string {
  const seconds = isObject(time) ? Number(time.seconds) : Number.NaN;
  return seconds >= 0 && seconds < 1e11 ? new Date(seconds * 1000).toISOString().slice(0, 10) : '';
}

/** What `review_activity` answers about the accounts that are paid. Undefined where it says nothing. */
export function recipientsIn({ recipients, moreRecipients, recipientsSince }: Answer): SaidRecipients | undefined {
  if (!Array.isArray(recipients)) return undefined;
  const of = objects(recipients).map(({ address, isOwn, earlier, alike }) => ({
    address: spelled(text(address)),
    isOwn: isOwn === true,
    ...(isObject(earlier) && { earlier: { activityId: text(earlier.activityId), day: dayOf(earlier.createdAt) } }),
    ...(isObject(alike) && { alike: { address: text(alike.address), isOwn: alike.isOwn === true } }),
  }));
  return { since: dayOf(recipientsSince), more: moreRecipients === true, of };
}

type Said = { facts: Fact[]; warnings: Warning[] };
type One = SaidRecipients['of'][number];

const BY_SERVICE = 'as the service says';

const firstTime = (address: string, since: string): Warning => ({
  code: 'first-time',
  level: 'amber',
  text: `${address} is paid or approved for the first time on this network${since === '' ? '' : ` since ${since}`}, ${BY_SERVICE}`,
});

/** Known accounts could fill the places of those that are compared. */
const notCompared = (count: number): Warning => ({
  code: 'not-compared',
  level: 'amber',
  text: `It pays or approves more than ${count} accounts. Earlier payments are compared for ${count} of them alone, ${BY_SERVICE}`,
});

function aboutOne(address: string, { isOwn, earlier, alike }: One, since: string): Said {
  const note = isOwn
    ? `an account of this organization, ${BY_SERVICE}`
    : earlier &&
      `paid or approved before on this network, last on ${earlier.day} by activity ${earlier.activityId}, ${BY_SERVICE}`;
  const warnings = note === undefined ? [firstTime(address, since)] : [];
  // A false word about another address is no danger. One that does not look alike is none. An own account may be imported to deceive.
  if (alike !== undefined && looksLike(address, alike.address)) {
    const which = alike.isOwn ? 'which is an account of this organization' : 'which was paid or approved before';
    const said = `${address} begins and ends like ${alike.address}, ${which}, and is not the same, ${BY_SERVICE}`;
    warnings.push({ code: 'look-alike', level: 'red', text: said });
  }
  return { facts: note === undefined ? [] : [fact('recipient', address, 'address', { note })], warnings };
}

/** First uses and look-alikes among the addresses that the request itself shows. The service names no other. */
export function saidAbout(facts: readonly Fact[], calls: readonly Call[], said: SaidRecipients | undefined): Said {
  const found: Said = { facts: [], warnings: [] };
  if (said === undefined) return found;
  const shown = addressesIn(facts, calls);
  for (const one of said.of) {
    const address = shown.get(one.address);
    if (address === undefined) continue;
    const about = aboutOne(address, one, said.since);
    found.facts.push(...about.facts);
    found.warnings.push(...about.warnings);
  }
  if (said.more) found.warnings.push(notCompared(said.of.length));
  return found;
}
