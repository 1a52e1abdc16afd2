import { ID, type Samples } from '../../support/samples.ts';

/** Well-formed parameters of each operation's newest version. */
export const mfaPolicies: Samples = {
  CREATE_MFA_POLICY: () => ({
    userId: ID,
    mfaPolicyName: 'Sample',
    condition: "activity.action == 'EXPORT'",
    requiredAuthenticationMethods: [{ any: [{ type: 'AUTHENTICATION_TYPE_API_KEY', id: ID }] }],
    order: 1,
    notes: 'notes',
  }),
  UPDATE_MFA_POLICY: () => ({
    userId: ID,
    mfaPolicyId: ID,
    mfaPolicyName: 'Changed',
    condition: "activity.action == 'SIGN'",
    requiredAuthenticationMethods: [{ any: [{ type: 'AUTHENTICATION_TYPE_API_KEY', id: ID }] }],
    order: 2,
    notes: 'other notes',
  }),
  DELETE_MFA_POLICY: () => ({ userId: ID, mfaPolicyId: ID }),
};
