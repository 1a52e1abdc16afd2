/** USDC on Base. */
export const USDC = '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913';

export const method = (name: string) => `VELOCITY_CONTROL_AGGREGATION_METHOD_${name}`;
export const operator = (name: string) => `VELOCITY_CONTROL_AGGREGATION_OPERATOR_${name}`;

export const transfers = (more: object = {}) => ({
  chainAssetTransfer: { definition: [{ caip19: `eip155:8453/erc20:${USDC}`, decimals: '6' }], ...more },
});

export const aggregation = (more: object = {}) => ({
  method: method('SUM'),
  operator: operator('LESS_THAN_OR_EQUAL'),
  threshold: '1000',
  window: { rolling: { duration: '86400' } },
  groupBy: { organization: {} },
  ...more,
});

/** At most 1,000 USDC in 24 hours. */
export const velocityControl = (more: object = {}) => ({
  name: 'USDC per day',
  identifier: 'usdc_per_day',
  dataSource: transfers(),
  aggregation: aggregation(),
  ...more,
});
