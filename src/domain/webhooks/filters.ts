import { isObject, parseJson } from '../../base/json.ts';
import { STATUSES } from '../../model/activity.ts';
import { interfaceNames } from '../../model/interface-names.ts';
import type { WebhookEventType } from '../../model/webhook.ts';

const LIMITS = { depth: 4, keys: 16 };
/** Activity types that the published interface lacks. */
const OWN_TYPE = /^ACTIVITY_TYPE_COUNTERSIGN_[A-Z0-9_]{1,80}$/;

const types: ReadonlySet<string> = new Set(interfaceNames.type);
const statuses: ReadonlySet<string> = new Set(STATUSES);

/** The values that a filter may list. `are`: in words. */
type Values = { has(name: string): boolean; are: string };

/** The filters of each event type. */
const FILTERS: { readonly [E in WebhookEventType]: Readonly<Record<string, Values>> } = {
  ACTIVITY_UPDATES: {
    activityType: {
      has: (name) => types.has(name) || OWN_TYPE.test(name),
      are: 'activity type, such as ACTIVITY_TYPE_CREATE_WALLET',
    },
    activityStatus: { has: (name) => statuses.has(name), are: `of ${STATUSES.join(', ')}` },
  },
  SEND_TRANSACTION_STATUS_UPDATES: {},
  BALANCE_CONFIRMED_UPDATES: {},
  BALANCE_FINALIZED_UPDATES: {},
  COUNTERSIGN_VELOCITY_NEARLY_FULL: {},
};

function isListOf(values: Values, given: unknown): boolean {
  return Array.isArray(given) && given.length > 0 && given.every((name) => typeof name === 'string' && values.has(name));
}

/** Why a text is no filter of this event type; undefined if it is one. */
export function filtersProblem(eventType: WebhookEventType, text: string): string | undefined {
  const supported = FILTERS[eventType];
  const parsed = parseJson(Buffer.from(text), LIMITS);
  if ('error' in parsed) return `must be a JSON object: ${parsed.error}`;
  if (!isObject(parsed.value)) return 'must be a JSON object';
  const given = Object.entries(parsed.value);
  if (given.some(([filter]) => !Object.hasOwn(supported, filter))) {
    const names = Object.keys(supported);
    return names.length === 0 ? `must be left out: ${eventType} has no filters` : `supports only ${names.join(' and ')}`;
  }
  const wrong = given.find(([filter, names]) => !isListOf(supported[filter]!, names));
  return wrong && `${wrong[0]} must be a list of at least one ${supported[wrong[0]]!.are}`;
}
