import { z } from 'zod';
import { invalid } from '../../base/errors.ts';
import { query } from '../../engine/query/declare.ts';
import { DAY_MS, monthOf, NO_USAGE, startOf, USAGE_MONTHS, USAGE_WIDTHS, type Usage } from '../../model/usage.ts';
import { UsageCounts, UsageDay } from '../../wire/billing.ts';
import { Id, IdOut, Pagination, pageOf } from '../../wire/common.ts';

/** How many days an answer may have. */
const MOST_DAYS = 100;

const DEFAULT_DAYS = 30;
const DEFAULT_MONTHS = 12;

const dateOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

const shown = ({ signatures, sends, messages, completed, failed, rejected }: Usage) => ({
  signatures,
  sends,
  messages,
  activities: { completed, failed, rejected },
});

function added(a: Usage, b: Usage): Usage {
  const sum = { ...a };
  for (const name of Object.keys(NO_USAGE) as (keyof Usage)[]) sum[name] += b[name];
  return sum;
}

type Wish = { from?: string | undefined; to?: string | undefined; interval: 'DAY' | 'MONTH' };

/** The starts of the first and of the last day or month. Throws REQUEST_INVALID. */
function rangeOf({ from, to, interval: width }: Wish, now: number): { width: Wish['interval']; from: number; last: number } {
  const last = startOf(width, to === undefined ? now : Date.parse(to));
  const before = width === 'DAY' ? last - (DEFAULT_DAYS - 1) * DAY_MS : monthOf(last, 1 - DEFAULT_MONTHS);
  const first = from === undefined ? before : startOf(width, Date.parse(from));
  if (first > last) throw invalid('from', 'must not be after to');
  const earliest = width === 'DAY' ? last - (MOST_DAYS - 1) * DAY_MS : monthOf(last, 1 - USAGE_MONTHS);
  if (first < earliest) {
    const most = width === 'DAY' ? `${MOST_DAYS} days` : `${USAGE_MONTHS} months`;
    throw invalid('from', `must leave at most ${most} up to to`);
  }
  return { width, from: first, last };
}

/** The public interface has no usage. */
export const getUsage = query({
  name: 'get_usage',
  summary:
    'Signatures, sends, messages and activities by day or month in UTC, with those of sub-organizations, and a page of these',
  params: z.strictObject({
    organizationId: Id,
    from: UsageDay.optional(),
    to: UsageDay.optional(),
    interval: z.enum(USAGE_WIDTHS),
    paginationOptions: Pagination.optional(),
  }),
  result: z.object({
    usage: z.array(UsageCounts.extend({ from: z.string() })),
    total: UsageCounts,
    quota: z.object({ signaturesPerMonth: z.int(), used: z.int() }).optional(),
    subOrganizations: z.array(UsageCounts.extend({ organizationId: IdOut })),
  }),
  errors: ['REQUEST_INVALID'],
  async run({ organization, read, now }, { paginationOptions, ...wish }) {
    const { width, from, last } = rangeOf(wish, now);
    const range = { width, from, before: last + 1 };
    const counts = await read.usage.range(organization.id, range);
    const [quota] = await read.quotas.of([organization.id]);
    const isTop = organization.parentId === null;
    const below = isTop ? await read.organizations.subOrganizationIds(organization.id, undefined, pageOf(paginationOptions)) : [];
    const sums = new Map((await read.usage.sums(below, range)).map((sum) => [sum.organizationId, sum]));
    return {
      usage: counts.map((count) => ({ from: dateOf(count.startsAt), ...shown(count) })),
      total: shown(counts.reduce(added, NO_USAGE)),
      ...(quota && {
        quota: { signaturesPerMonth: quota.signatures, used: quota.endsAt > now ? quota.used : 0 },
      }),
      subOrganizations: below.map((organizationId) => ({ organizationId, ...shown(sums.get(organizationId) ?? NO_USAGE) })),
    };
  },
});
