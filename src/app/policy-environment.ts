import { activities } from '../activities/index.ts';
import { chainPolicyTypes } from '../chains/policy-types.ts';
import { environmentOf } from '../engine/decision/policy-environment.ts';
import { laterParameters } from './later-parameters.ts';

/** What the policies of this program may be written about. */
export const policyEnvironment = environmentOf(activities, chainPolicyTypes, laterParameters);
