/** What an organization used in some time. A top-level organization's usage includes that of its sub-organizations. */
export type Usage = {
  signatures: number;
  sends: number;
  /** Mails and SMS that were asked for. */
  messages: number;
  /** Activities by outcome. */
  completed: number;
  failed: number;
  rejected: number;
};

export const NO_USAGE: Usage = { signatures: 0, sends: 0, messages: 0, completed: 0, failed: 0, rejected: 0 };

export const USAGE_WIDTHS = ['DAY', 'MONTH'] as const;

export type UsageWidth = (typeof USAGE_WIDTHS)[number];

/** The usage of one day or month in UTC, by its start. */
export type UsageCount = Usage & { organizationId: string; width: UsageWidth; startsAt: number };

/** Up to where activities are summed, as positions of activities and of audit rows. */
export type UsagePlace = { activities: number; audit: number };

/** The key of the instance's row with the place, as JSON. */
export const USAGE_PLACE = 'usage_place';

export const DAY_MS = 24 * 60 * 60 * 1000;

/** How many months are kept, with the current one. */
export const USAGE_MONTHS = 25;

/** The start of the month of a time, or of a month after or before it. */
export function monthOf(at: number, offset = 0): number {
  const date = new Date(at);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + offset, 1);
}

export const dayOf = (at: number): number => Math.floor(at / DAY_MS) * DAY_MS;

export const startOf = (width: UsageWidth, at: number): number => (width === 'DAY' ? dayOf(at) : monthOf(at));

/** A quota counts as nearly used from this percentage on. */
export const NEAR_PERCENT = 80;

export const QUOTA_LEVELS = ['', 'near', 'over'] as const;

/** '': less than NEAR_PERCENT is used. */
export type QuotaLevel = (typeof QUOTA_LEVELS)[number];

/** An operator's limit on the signatures of one organization in each month of UTC. */
export type Quota = {
  organizationId: string;
  signatures: number;
  /** Of the month that ends at `endsAt`. */
  used: number;
  level: QuotaLevel;
  endsAt: number;
  createdAt: number;
  updatedAt: number;
};

export function quotaLevel(used: number, signatures: number): QuotaLevel {
  if (used >= signatures) return 'over';
  return used * 100 >= signatures * NEAR_PERCENT ? 'near' : '';
}
