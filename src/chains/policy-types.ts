import type { EnvironmentPart } from '../policy/index.ts';
import { bitcoinPolicyTypes } from './bitcoin/policy-types.ts';
import { ethereumPolicyTypes } from './ethereum/policy-types.ts';
import { solanaPolicyTypes } from './solana/policy-types.ts';
import { sparkPolicyTypes } from './spark/policy-types.ts';
import { tempoPolicyTypes } from './tempo/policy-types.ts';
import { tronPolicyTypes } from './tron/policy-types.ts';

/** Each chain's part of the policy language, one row each. */
export const chainPolicyTypes: readonly EnvironmentPart[] = [
  ethereumPolicyTypes,
  solanaPolicyTypes,
  tronPolicyTypes,
  bitcoinPolicyTypes,
  tempoPolicyTypes,
  sparkPolicyTypes,
];
