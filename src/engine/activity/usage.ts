import type { Usage } from '../../model/usage.ts';

type Counted = Pick<Usage, 'signatures' | 'sends' | 'messages'>;

/** What one completed activity counts as in `get_usage`. A number, or one that the intent tells. */
export type UsageSpec<Intent> = { readonly [K in keyof Counted]?: number | ((intent: Intent) => number) };

/** Whether an activity counts as signatures, which quotas limit. */
export const signs = ({ usage }: { usage: UsageSpec<unknown> }): boolean => usage.signatures !== undefined;
