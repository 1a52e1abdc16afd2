import type { Samples } from '../../support/samples.ts';

/** Well-formed parameters of each operation's newest version. */
export const billing: Samples = {
  get_usage: () => ({ from: '2026-01-01', to: '2026-01-31', interval: 'DAY', paginationOptions: { limit: '5' } }),
};
