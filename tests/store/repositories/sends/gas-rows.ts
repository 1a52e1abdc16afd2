import type { GasConfig, GasReservation } from '../../../../src/model/gas.ts';
import { idOf, NOW } from '../../names.ts';

export const gasConfigOf = (organizationId: string, more: Partial<GasConfig> = {}): GasConfig => ({
  organizationId,
  id: idOf('gas config'),
  enabled: true,
  orgLimitMicroUsd: 100_000_000,
  subOrgLimitMicroUsd: 10_000_000,
  windowMinutes: 60,
  createdAt: NOW,
  updatedAt: NOW,
  ...more,
});

export const gasReservationOf = (organizationId: string, send: string): GasReservation => ({
  organizationId,
  sendId: idOf(send),
  payerId: organizationId,
  reservedAt: NOW,
  microUsd: 5,
  usdE18: '3000000000000000000000',
  decimals: 18,
});
