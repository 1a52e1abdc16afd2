/** The filters of activities in an address. The router also gives a page what it refused, so pages read their search by these. */
import { UUID_TEXT } from '../../../src/base/uuid.ts';
import type { ActivityStatus } from '../service/types.ts';

export type ActivitySearch = { status?: string; type?: string; user?: string; after?: string; before?: string };

export const STATUSES: readonly ActivityStatus[] = [
  'ACTIVITY_STATUS_CONSENSUS_NEEDED',
  'ACTIVITY_STATUS_AUTHENTICATORS_NEEDED',
  'ACTIVITY_STATUS_COMPLETED',
  'ACTIVITY_STATUS_FAILED',
  'ACTIVITY_STATUS_REJECTED',
];

const ID = new RegExp(`^${UUID_TEXT}$`, 'i');

const isId = (text: unknown): text is string => typeof text === 'string' && ID.test(text);

const isDay = (text: unknown): boolean => typeof text === 'string' && /^[1-9]\d{3}-\d\d-\d\d$/.test(text) && Date.parse(text) > 0;

const FITS: Readonly<Record<keyof ActivitySearch, (value: unknown) => boolean>> = {
  status: (value) => STATUSES.some((status) => status.slice(16) === value),
  type: (value) => typeof value === 'string' && /^[\w .-]{1,100}$/.test(value),
  user: isId,
  after: isDay,
  before: isDay,
};

/** Whether a value can be a filter. */
export const fits = (name: keyof ActivitySearch, value: unknown): boolean => FITS[name](value);

export const searchOf = (search: Record<string, unknown>): ActivitySearch =>
  Object.fromEntries(
    Object.keys(FITS).flatMap((name) => (fits(name as keyof ActivitySearch, search[name]) ? [[name, search[name]]] : [])),
  );

/** `org`: the id of an organization, in the form in which the service answers it. */
export const organizationIn = ({ org }: Record<string, unknown>): { org?: string } =>
  isId(org) ? { org: org.toLowerCase() } : {};

export type Show = 'all' | 'decided';

const isShow = (text: unknown): text is Show => text === 'all' || text === 'decided';

/** `show`: those of others too, or what the person decided. `open`: the id of an activity. */
export const waitingSearchOf = ({ show, open }: Record<string, unknown>): { show?: Show; open?: string } => ({
  ...(isShow(show) ? { show } : {}),
  ...(isId(open) ? { open } : {}),
});
