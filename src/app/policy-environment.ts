import { activities } from '../activities/index.ts';
import { chainPolicyTypes } from '../chains/policy-types.ts';
import { environmentOf } from '../engine/decision/policy-environment.ts';
import { laterParameters } from './later-parameters.ts';

/** Everything that policies of this program can refer to. */
export const policyEnvironment = environmentOf(activities, chainPolicyTypes, laterParameters);
