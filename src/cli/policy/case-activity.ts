import { activities } from '../../activities/index.ts';
import { policyEnvironment } from '../../app/policy-environment.ts';
import { camelCase } from '../../base/names.ts';
import type { ActivityKind, ActivityVersion } from '../../engine/activity/declare.ts';
import { type DecodedActivity, decodeActivity, type ResolvedActivity, resolveActivity } from '../../engine/activity/decode.ts';
import { submittersOf } from '../../engine/activity/submitters.ts';
import type { Root, Roots } from '../../policy/index.ts';
import type { PolicyCase } from './file.ts';
import { misfit } from './roots.ts';

export class CaseError extends Error {}

/** The activity of a case, in the engine's form. The case supplies the values of a database. */
export async function activityOfCase({ activity, roots, controls }: PolicyCase): Promise<ResolvedActivity> {
  const { type, parameters, params = {} } = activity;
  const known = knownKind(type);
  if (known === undefined && parameters !== undefined)
    throw new CaseError(`${type} is unknown to this version: give activity.params, as policies see them`);
  const { kind, version } = known ?? unknownKind(activity);
  for (const key of ['kind', 'resource', 'action'] as const)
    if (activity[key] !== undefined && activity[key] !== kind[key])
      throw new CaseError(`activity.${key} of ${type} is '${kind[key]}', not '${activity[key]}'`);
  if (parameters !== undefined) {
    const decoded = decodeActivity(kind, version, plain(parameters), '0');
    const shown = await viewOf(decoded);
    if (Array.isArray(roots) && shown.length !== roots.length)
      throw new CaseError(`roots has ${roots.length} elements, but the parameters have ${shown.length}`);
    return seen(decoded, joined(shown, roots), controls);
  }
  const { resource, action } = kind;
  const wrong = misfit(
    { type, kind: kind.kind, resource, action, params },
    policyEnvironment.roots.get('activity')!.type,
    'activity',
  );
  if (wrong !== undefined) throw new CaseError(wrong);
  // The parameters that policies can see are enough to determine the affected user.
  const intent = Object.fromEntries(Object.entries(params).map(([key, value]) => [camelCase(key), value]));
  const asked = { version, parameters: undefined, intent, timestampMs: '0', generateAppProofs: false };
  const decoded = { kind: { ...kind, policyParams: () => params }, ...asked };
  return seen(decoded, joined([{}], roots), controls);
}

const seen = (decoded: DecodedActivity, views: readonly Roots[], controls: PolicyCase['controls']): ResolvedActivity => ({
  ...decoded,
  subject: async () => undefined,
  views: async () => views.map((roots) => (controls === undefined ? roots : { ...roots, controls })),
});

function joined(shown: readonly Roots[], given: PolicyCase['roots']): Roots[] {
  const own = Array.isArray(given) ? given : shown.map(() => given);
  const elements = own.map((each, i) => ({ ...shown[i], ...rootsOf(each) }));
  const totals = totalsOf(elements);
  return elements.map((element) => ({ ...totals, ...element }));
}

type Known = { kind: ActivityKind; version: ActivityVersion };

function knownKind(type: string): Known | undefined {
  for (const kind of activities) {
    const version = kind.versions.get(type);
    if (version !== undefined) return { kind, version };
  }
  return undefined;
}

function unknownKind({ type, kind, resource, action }: PolicyCase['activity']): Known {
  if (resource === undefined || action === undefined)
    throw new CaseError(`${type} is unknown to this version: also give activity.resource and activity.action`);
  const unknown = {
    kind: kind ?? type.replace(/^ACTIVITY_TYPE_/, '').replace(/_V\d+$/, ''),
    resource,
    action,
    governedBy: 'policy',
    votes: undefined,
    submitters: submittersOf({}, false),
  };
  return { kind: unknown as unknown as ActivityKind, version: { type } as ActivityVersion };
}

/** Converts integers of submitted JSON to numbers, where they fit. */
function plain(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value);
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, plain(item)]));
}

/**
 * The parts of the parameters that policies see without a database: typed data and new secrets, no wallet or key. The case
 * supplies the rest. Where it supplies no stored secret, policies that read one fail.
 */
const FROM_PARAMETERS = ['eth.eip_712', 'eth.eip_7702_authorization', 'secret'];

async function viewOf(decoded: DecodedActivity): Promise<readonly Roots[]> {
  const nothing = new Proxy({}, { get: (_, method) => async () => (method === 'byIds' ? [] : undefined) });
  const read = new Proxy({}, { get: () => nothing });
  const views = await resolveActivity(read as never, { id: '' } as never, decoded).views();
  return views.map((roots) => Object.fromEntries(Object.entries(roots).filter(([root]) => FROM_PARAMETERS.includes(root))));
}

/** The totals of the elements, from the values of each. */
function totalsOf(elements: readonly Roots[]): Roots {
  const sum = (of: string, field: string) =>
    elements.reduce((all, element) => all + ((element[of] as Record<string, bigint | undefined>)[field] ?? 0n), 0n);
  const found = [...policyEnvironment.roots.values()].flatMap(({ keyword, totals }) => {
    if (totals === undefined || elements.some((element) => element[totals.of] === undefined)) return [];
    const { of, paths } = totals;
    return [
      [keyword, Object.fromEntries(Object.entries(paths).map(([name, path]) => [name, sum(of, path.slice(of.length + 1))]))],
    ];
  });
  return Object.fromEntries(found);
}

const mayGive = ({ keyword, part, scopesOnly, policiesOnly }: Root): boolean =>
  part === 'condition' && !scopesOnly && !policiesOnly && keyword !== 'activity';

function rootsOf(given: Readonly<Record<string, unknown>>): Roots {
  for (const [keyword, value] of Object.entries(given)) {
    if (keyword === 'controls') throw new CaseError('roots has no controls: they are a key of the case, beside roots');
    const root = policyEnvironment.roots.get(keyword);
    if (root === undefined || !mayGive(root)) {
      const known = [...policyEnvironment.roots.values()].filter(mayGive);
      throw new CaseError(`roots has no ${keyword}; a case can give ${known.map((each) => each.keyword).join(', ')}`);
    }
    const wrong = misfit(value, root.type, `roots.${keyword}`);
    if (wrong !== undefined) throw new CaseError(wrong);
  }
  return given as Roots;
}
