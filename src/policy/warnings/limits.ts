import type { NamedPolicy } from '../decide/policy-index.ts';
import { textKey } from '../evaluate/values.ts';
import type { ActivityRow, Environment } from '../language/environment.ts';
import { policyError } from '../language/problem.ts';
import { analysedOf, areApart, asOftenAs, type Known, leftOpen, type NamedWarning, narrowed } from './policy-pairs.ts';
import { profilesOfRow } from './profiles.ts';

const LIMITS = 'VELOCITY_CONTROL';

/** A condition that requires one of these names what it allows. */
const NAMES: ReadonlySet<string> = new Set(['activity.type', 'activity.kind', 'activity.resource']);

const isLimits = ({ resource }: ActivityRow): boolean => resource === LIMITS;
const isExport = ({ resource, action }: ActivityRow): boolean => action === 'EXPORT' && /^(WALLET|PRIVATE_KEY)$/.test(resource);

/** A limit over time that binds every signer. Without wallets and keys in its scope, it covers every key. */
export type BindingLimit = {
  readonly walletIds?: readonly string[] | undefined;
  readonly privateKeyIds?: readonly string[] | undefined;
  readonly userTagIds?: readonly string[] | undefined;
};

type Right = { readonly of: (row: ActivityRow) => boolean; readonly message: string; readonly hint: string };

const EDITS: Right = {
  of: isLimits,
  message: 'this also allows activities that create and delete limits over time',
  hint: `name the resources that you mean, or add && activity.resource != '${LIMITS}'`,
};

const EXPORTS: Right = {
  of: isExport,
  message: 'this allows exports of keys, and an export ends every limit on its key',
  hint: "name wallets that have no limit, or leave exports out with activity.action != 'EXPORT'",
};

const TAGS: Right = {
  of: ({ kind }) => ['UPDATE_USER', 'UPDATE_USER_TAG', 'DELETE_USER_TAGS'].includes(kind),
  message: 'this allows changes of user tags, and limits whose scope names tags bind only users who have them',
  hint: "leave them out with activity.resource != 'USER', or give such limits no userTagIds",
};

/**
 * Warns of an ALLOW that lets limits over time be created or deleted, unless it names a kind or resource. Also of one that lets
 * keys be exported, if a limit may concern these keys. Policies of the set read it, or it is one of `limits`. Beside limits that may name
 * tags, also of one of changes of user tags. No warning if a DENY closes it.
 */
export function waysPastLimits(
  policies: readonly NamedPolicy[],
  environment: Environment,
  limits: readonly BindingLimit[] = [],
): NamedWarning[] {
  const known = analysedOf(policies, environment);
  const denies = known.filter(({ policy }) => policy.effect === 'EFFECT_DENY');
  const readers = known.filter(({ policy }) => policy.controls.length > 0);
  const namesTags = readers.length > 0 || limits.some(({ userTagIds }) => userTagIds !== undefined);
  return known
    .filter(({ policy }) => policy.effect === 'EFFECT_ALLOW')
    .flatMap((allow) => {
      const edits = allow.policy.named.some((field) => NAMES.has(field)) ? [] : warn(environment, allow, denies, EDITS);
      const covers = readers.some((reader) => !areApart(reader, allow)) || limits.some((limit) => mayCover(limit, allow));
      const exports = covers ? warn(environment, allow, denies, EXPORTS) : [];
      return [...edits, ...exports, ...(namesTags ? warn(environment, allow, denies, TAGS) : [])];
    });
}

/** Whether a limit covers a key that the policy does not exclude by naming others. */
function mayCover({ walletIds, privateKeyIds }: BindingLimit, { policy }: Known): boolean {
  if (walletIds === undefined && privateKeyIds === undefined) return true;
  const covered = new Map([
    ['wallet.id', walletIds],
    ['private_key.id', privateKeyIds],
  ]);
  return policy.pins.every(
    ({ name, keys, form }) => !covered.has(name) || covered.get(name)?.some((id) => keys.has(textKey(id, form))),
  );
}

function warn(environment: Environment, allow: Known, denies: readonly Known[], { of, message, hint }: Right): NamedWarning[] {
  const profiles = environment.activities.filter(of).flatMap((row) => profilesOfRow(environment, row));
  const closing = denies.filter(({ policy }) => asOftenAs(policy, allow.policy));
  if (leftOpen(environment, narrowed(profiles, allow), allow, closing) === 0n) return [];
  const { condition } = allow.policy.source;
  const span = allow.analysed?.expr.span ?? { start: 0, end: 0 };
  const error = policyError('condition', condition, { message, span, hint });
  return [{ id: allow.id, warning: { ...error, text: condition.slice(span.start, span.end) } }];
}
