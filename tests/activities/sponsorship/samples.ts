import type { Samples } from '../../support/samples.ts';

/** Well-formed parameters of each operation's newest version. */
export const sponsorship: Samples = {
  UPSERT_GAS_USAGE_CONFIG: () => ({
    orgWindowLimitUsd: '100.00',
    subOrgWindowLimitUsd: '2.5',
    windowDurationMinutes: '1440',
    enabled: true,
    solanaConfig: { rentPrefundEnabled: false },
  }),
};
