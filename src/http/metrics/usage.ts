import { Gauge, type Registry } from 'prom-client';

export const usageFamilies = (registers: Registry[]) => ({
  behind: new Gauge({
    name: 'countersign_usage_behind_seconds',
    help: 'Age of the first activity that is not summed yet. 0: all are',
    registers,
  }),
  quotas: new Gauge({
    name: 'countersign_quota_organizations',
    help: 'Organizations that have used 80 % of their quota of signatures (near), or all of it (over), in this month',
    labelNames: ['level'] as const,
    registers,
  }),
});

export type UsageFamilies = ReturnType<typeof usageFamilies>;
