import { flag, id, int, text } from '../columns.ts';
import { table } from '../table.ts';

export const gasConfigs = table('gas_configs', {
  organizationId: id(),
  id: id(),
  enabled: flag(),
  orgLimitMicroUsd: int(),
  subOrgLimitMicroUsd: int(),
  windowMinutes: int(),
  createdAt: int(),
  updatedAt: int(),
});

/** The amount spent in each bucket. A top-level organization's amount includes its sub-organizations; a sub-organization's is its own. */
export const gasUsage = table('gas_usage', {
  organizationId: id(),
  width: int(),
  startsAt: int(),
  /** No window begins in the bucket from this time on. */
  expiresAt: int(),
  microUsd: int(),
});

export const gasReservations = table('gas_reservations', {
  organizationId: id(),
  sendId: id(),
  payerId: id(),
  reservedAt: int(),
  microUsd: int(),
  usdE18: text(),
  decimals: int(),
});
