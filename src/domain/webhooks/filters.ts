import { isObject, parseJson } from '../../base/json.ts';
import { STATUSES } from '../../model/activity.ts';
import { interfaceNames } from '../../model/interface-names.ts';
import type { WebhookEventType } from '../../model/webhook.ts';

const LIMITS = { depth: 4, keys: 16 };
/** Activity types that the published interface lacks. */
const OWN_TYPE = /^ACTIVITY_TYPE_COUNTERSIGN_[A-Z0-9_]{1,80}$/;

const types: ReadonlySet<string> = new Set(interfaceNames.type);
const statuses: ReadonlySet<string> = new Set(STATUSES);

type IsKnown = (name: string) => boolean;

/** The filters of each event type: their names, and the values that each may list. */
const FILTERS: { readonly [E in WebhookEventType]: Readonly<Record<string, IsKnown>> } = {
  ACTIVITY_UPDATES: {
    activityType: (name) => types.has(name) || OWN_TYPE.test(name),
    activityStatus: (name) => statuses.has(name),
  },
  SEND_TRANSACTION_STATUS_UPDATES: {},
  BALANCE_CONFIRMED_UPDATES: {},
  BALANCE_FINALIZED_UPDATES: {},
};

const unknown = (names: readonly unknown[], isKnown: IsKnown): unknown =>
  names.find((name) => typeof name !== 'string' || !isKnown(name));

function problemOf(filter: string, names: unknown, isKnown: IsKnown): string | undefined {
  if (!Array.isArray(names) || names.length === 0) return `${filter} must be a list of at least one name`;
  const name = unknown(names, isKnown);
  return name === undefined ? undefined : `${filter} has ${JSON.stringify(name)}, which is no known name`;
}

/** Why a text is no filter of this event type; undefined if it is one. */
export function filtersProblem(eventType: WebhookEventType, text: string): string | undefined {
  const known = FILTERS[eventType];
  const names = Object.keys(known);
  const parsed = parseJson(Buffer.from(text), LIMITS);
  if ('error' in parsed) return `must be a JSON object: ${parsed.error}`;
  if (!isObject(parsed.value)) return 'must be a JSON object';
  for (const [filter, value] of Object.entries(parsed.value)) {
    const isKnown = Object.hasOwn(known, filter) ? known[filter] : undefined;
    if (isKnown === undefined) {
      const supported = names.length === 0 ? `${eventType} has no filters: leave it out` : `supported are ${names.join(', ')}`;
      return `has the unknown filter ${JSON.stringify(filter)}: ${supported}`;
    }
    const problem = problemOf(filter, value, isKnown);
    if (problem !== undefined) return problem;
  }
  return undefined;
}
