import { serializeTransaction } from 'viem';
import { aggregation, method, velocityControl } from './support.ts';

/** The threshold in wei. */
export const wei = (amount: bigint): string => {
  const digits = String(amount).padStart(19, '0');
  return `${digits.slice(0, -18)}.${digits.slice(-18)}`;
};

export const TO = '0x00000000000000000000000000000000000000aa';

let nonces = 0;

/** Signs away some wei on a chain. Each is another transaction. */
export const signWei = (signWith: string, value: bigint, chainId = 1) => {
  const fields = { type: 'eip1559', chainId, nonce: nonces++, to: TO, value, gas: 21_000n, maxFeePerGas: 1n } as const;
  const unsignedTransaction = serializeTransaction({ ...fields, maxPriorityFeePerGas: 1n });
  return { signWith, unsignedTransaction, type: 'TRANSACTION_TYPE_ETHEREUM' };
};

/** At most some wei of Ethereum. */
export const weiControl = (identifier: string, threshold: bigint, more: object = {}, terms: object = {}) =>
  velocityControl({
    identifier,
    dataSource: { chainAssetTransfer: { definition: [{ caip19: 'eip155:1/slip44:60', decimals: '18' }] } },
    aggregation: aggregation({ threshold: wei(threshold), ...terms }),
    ...more,
  });

/** Counts signatures of raw payloads, more than there are. It binds every signer. */
export const limitOfSignatures = () =>
  velocityControl({
    identifier: 'signatures',
    dataSource: { activityExecution: { filter: { activity: [{ activityType: 'ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2' }] } } },
    aggregation: aggregation({ method: method('COUNT'), threshold: '1000000' }),
    countersign: { enforcement: 'ALWAYS' },
  });
