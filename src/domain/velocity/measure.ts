import { ApiError } from '../../base/errors.ts';
import { Lru } from '../../base/lru.ts';
import type { Measured } from '../../engine/activity/measured.ts';
import type { Velocity } from '../../engine/activity/velocity.ts';
import { transferConditions } from '../../engine/decision/transfer-conditions.ts';
import type { Organization } from '../../model/organization.ts';
import { SENDS } from '../transfers/kinds.ts';
import { type ControlCache, coveringKind } from './control-cache.ts';
import { binds, isLimit, type Judged, judge, spendsOf, truthOf } from './judged.ts';
import { alerting } from './nearly-full.ts';
import { coversUser, partsOf } from './parts.ts';
import { refusalsOf } from './refusal.ts';

/** Each guarded control is one more row that the record waits for. */
const MOST_GUARDED = 20;

const identifierOf = ({ terms }: Judged): string => terms.control.identifier;

function tooMany(guarded: number): ApiError {
  const text = `${guarded} velocity controls decide about this activity, and at most ${MOST_GUARDED} may. Give them a scope or delete some, and send a new body`;
  return new ApiError('LIMIT_EXCEEDED', text);
}

type Owner = Pick<Organization, 'id' | 'parentId'>;

function measuredAs(owner: Owner, judged: readonly Judged[], now: number, isSend: boolean): Measured {
  const hinders = (one: Judged) => truthOf(one) !== isLimit(one.terms);
  const byIdentifier = (truth: (one: Judged) => boolean | string) =>
    new Map(judged.map((one) => [identifierOf(one), truth(one)]));
  const unhindered = byIdentifier(({ terms }) => isLimit(terms));
  const refusals = (among: (one: Judged) => boolean) =>
    refusalsOf(
      judged.filter((one) => among(one) && hinders(one)),
      now,
    );
  return {
    organizationId: owner.id,
    controls: byIdentifier(truthOf),
    unhindered,
    refusal: () => refusals(binds).at(-1)?.error(),
    denials: (read) =>
      refusals((one) => binds(one) || read.includes(identifierOf(one))).map(({ by, error }, place, all) => {
        const later = () => all.slice(place + 1).map((one) => [identifierOf(one.by), truthOf(one.by)] as const);
        return { error, binds: binds(by), controls: () => new Map([...unhindered, ...later()]) };
      }),
    spends(read) {
      const guarded = new Set(judged.filter((one) => binds(one) || read.includes(identifierOf(one))));
      if (guarded.size > MOST_GUARDED) throw tooMany(guarded.size);
      return judged.flatMap((one) => spendsOf(one, guarded.has(one), isSend).map((spend) => alerting(spend, one.terms, owner)));
    },
  };
}

/** Counters that are remembered as full. */
const MOST_FULL = 10_000;

export function velocity(controls: ControlCache): Velocity {
  const full = new Lru<true>(MOST_FULL);
  return async (read, asked) => {
    const { organization, activity, userId, now, isFirst } = asked;
    const covering = coveringKind(await controls(read, organization), activity.kind);
    if (covering.open.length === 0 && covering.byId.size === 0) return undefined;
    const tags = covering.namesTags ? await read.tags.ofMember(organization.id, userId) : [];
    const parts = await partsOf(read, asked);
    const ids = [...parts.flatMap(({ walletId, keyId }) => [walletId ?? '', keyId]), userId, ...tags];
    const possible = new Set([...covering.open, ...ids.flatMap((id) => covering.byId.get(id) ?? [])]);
    const own = [...possible].filter((terms) => coversUser(terms, userId, tags));
    const countsBy = own.some(({ condition }) => condition !== undefined) ? await transferConditions(activity) : undefined;
    const judged = await Promise.all(own.map((terms) => judge(read, terms, parts, { userId, now, countsBy, isFirst, full })));
    const found = judged.filter((one) => one !== undefined);
    return found.length === 0 ? undefined : measuredAs(organization, found, now, SENDS.has(activity.kind.kind));
  };
}
