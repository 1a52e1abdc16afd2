/** Further stamps that MFA policies ask of voters, as the service says. */
import { visible } from '../../../review/visible.ts';

/** Of one policy and user. `missingMethods`: steps that are all needed, each by one method. */
export type Factors = {
  mfaPolicyId: string;
  mfaPolicyName: string;
  userId: string;
  missingMethods: { any: { type: string; id?: string }[] }[];
};

type Method = Factors['missingMethods'][number]['any'][number];

function methodText({ type, id }: Method): string {
  const name = type.replace(/^AUTHENTICATION_TYPE_/, '').toLowerCase();
  return visible(`${name.replaceAll('_', ' ')}${id === undefined ? '' : ` ${id}`}`);
}

/** Such as `api key or passkey, and by email otp`. */
export const stepsText = ({ missingMethods }: Factors): string =>
  missingMethods.map(({ any }) => any.map(methodText).join(' or ')).join(', and by ');

/** A part of the answer of review_activity. */
export type SaidFactors = { verdict?: { mfaStatuses: Factors[] } };

export const openFactors = ({ verdict }: SaidFactors): Factors[] =>
  (verdict?.mfaStatuses ?? []).filter(({ missingMethods }) => missingMethods.length > 0);
