import { flag, id, index, int, table, text } from './define.ts';

export const gas = [
  table(
    'gas_configs',
    {
      organization_id: id,
      id,
      enabled: flag,
      org_limit_micro_usd: int,
      sub_org_limit_micro_usd: int,
      window_minutes: int,
      created_at: int,
      updated_at: int,
    },
    ['organization_id'],
  ),
  table(
    'gas_usage',
    { organization_id: id, width: int, starts_at: int, expires_at: int, micro_usd: int },
    ['organization_id', 'width', 'starts_at'],
    index('gas_usage_by_expires_at', 'expires_at'),
  ),
  table(
    'gas_reservations',
    { organization_id: id, send_id: id, payer_id: id, reserved_at: int, micro_usd: int, usd_e18: text, decimals: int },
    ['organization_id', 'send_id'],
  ),
];
