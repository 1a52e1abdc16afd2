import type { Tables } from './types.ts';

const PART = 'Which expression of the policy it is in: `condition`, `consensus` or `time`.';
const OUTCOME = 'How the policy judged, such as `OUTCOME_ALLOW` or `OUTCOME_DENY_IMPLICIT` (it did not match).';
const LINE = 'Of the expression, counted from 1.';
const ORDER = 'The policy with the lowest number whose condition is true counts: 0 or more.';
const STEPS = 'Steps that are all needed, 1 to 10.';

export const policyFields: Tables = {
  NewPolicy: {
    policyName: 'A label that is unique among the organization’s policies, at most 255 characters.',
    effect: 'Whether a matching activity is allowed or denied. One denial outweighs all that allow.',
  },
  CreatePoliciesIntent: { policies: 'New policies, 1 to 1000: all are made or none.' },
  CreatePolicyIntent: {
    policyName: 'A label that is unique among the organization’s policies, at most 255 characters.',
    effect: 'Whether a matching activity is allowed or denied. A denial outweighs every policy that allows.',
    selectors: 'The older way to write a condition and a consensus, at most 100. All must be true.',
  },
  UpdatePolicyIntent: {
    policyName: 'Replaces the label, which is unique among the organization’s policies. Absent: it stays.',
    time: 'Replaces the expression over the clock; empty means always. Absent: it stays.',
  },
  Selector: {
    subject: 'The path that is tested, such as `activity.type`. Paths that begin with `user.` are about one approver.',
    operator: 'How the subject is compared.',
    target: 'What the subject is compared with, at most 4096 characters.',
  },
  SelectorV2: {
    subject: 'The path that is tested, such as `activity.type`. Paths that begin with `user.` are about one approver.',
    operator: 'How the subject is compared.',
    targets: 'What the subject is compared with, at most 100 texts of at most 4096 characters.',
  },
  Policy: {
    policyName: 'A label that is unique among the organization’s policies.',
    effect: '`EFFECT_ALLOW` or `EFFECT_DENY`. One denial outweighs all that allow.',
  },
  GetPolicyResponse: { policy: 'The policy with its effect and expressions.' },
  ListPoliciesResponse: { policies: 'All policies or a page of them, oldest first.' },
  GetActivePoliciesResponse: { statuses: 'For each policy, oldest first, whether its time includes the present.' },
  statuses: {
    active: 'Whether the policy counts at this moment.',
    error: 'Why its time could not be evaluated. A DENY with such a time denies, and an ALLOW never applies.',
    organizationId: 'The UUID of the organization that has the policy.',
  },
  GetPolicyEvaluationsRequest: { activityId: 'The UUID of the activity that was judged.' },
  GetPolicyEvaluationsResponse: {
    policyEvaluations: 'One entry for each vote at which policies were asked, oldest first.',
    mfaStatuses: 'What voters must still prove, while the activity waits.',
    proofs: 'Stamps by which voters met demands, besides their votes.',
    warnings: 'Suspicious parts of the body. Absent if there are none.',
  },
  'GetPolicyEvaluationsResponse.policyEvaluations': {
    id: 'The UUID of this evaluation.',
    activityId: 'The UUID of the activity that was judged.',
    organizationId: 'The UUID of the organization whose policies decided.',
    policyEvaluations: 'How each policy judged at this vote.',
  },
  'GetPolicyEvaluationsResponse.policyEvaluations.policyEvaluations': {
    outcome: OUTCOME,
    reason: 'Why, in plain words.',
    policyName: 'Its label at present. Absent if it was deleted.',
    effect: '`EFFECT_ALLOW` or `EFFECT_DENY`, as it is at present.',
    failedClause: 'The first operand of a top-level `&&` that was false or failed. Absent if all were true.',
    values: 'What the paths in the policy’s expressions meant.',
    note: 'Why the outcome cannot be explained any more.',
  },
  ExplainedPolicy: {
    policyName: 'Its label at present.',
    effect: '`EFFECT_ALLOW` or `EFFECT_DENY`.',
    outcome: OUTCOME,
    reason: 'Why, in plain words.',
    failedClause: 'The first operand of a top-level `&&` that was false or failed. Absent if all were true.',
    values: 'What the paths in its expressions meant.',
    warnings: 'Parts that are never true, or always.',
  },
  FailedClause: {
    part: PART,
    text: 'The clause as it is written in the policy.',
    line: LINE,
    column: 'Of the first character in its line, counted from 1.',
    result: 'What came out: `false`, or that it could not be evaluated.',
    message: 'Why it could not be evaluated.',
  },
  SeenValue: {
    part: PART,
    path: 'As the policy writes it, such as `eth.tx.value`.',
    value: 'What the path meant for this activity, as JSON text.',
    message: 'Why the path has no value.',
  },
  Warning: {
    part: PART,
    text: 'The suspicious clause as it is written.',
    line: LINE,
    column: 'Of the first character in its line, counted from 1.',
    message: 'The reason why it is suspicious.',
    hint: 'What was probably meant.',
  },
  BodyWarning: {
    code: 'For programs, such as `POLICY_SUSPICIOUS`.',
    text: 'The suspicion, for people.',
  },
  ReplayPolicyRequest: {
    policyId: 'The UUID of the policy that the draft replaces. Omitted parts keep its text.',
    effect: 'Whether the draft allows or denies. Needed unless `policyId` is given.',
    fromMs: 'Only activities of this time or later, in milliseconds since the epoch.',
    untilMs: 'Only activities of this time or earlier, in milliseconds since the epoch.',
    after: 'The `next` of the previous answer.',
  },
  ReplayPolicyResponse: {
    examined: 'How many past activities were judged again, some 500 at most in one answer.',
    activities: 'Those that would have been decided differently, newest first.',
    warnings: 'Parts of the draft that are never true, or always.',
    leftOut: 'How many were not judged, because limits over time had too many entries. Absent: none.',
  },
  'ReplayPolicyResponse.activities': {
    activityId: 'The UUID of the past activity.',
    type: 'What was asked for, with its version.',
    status: 'The state that it has reached.',
    before: 'The decision with the present policies.',
    after: 'The decision with the draft.',
  },
  SimulateActivityRequest: {
    type: 'What would be asked for, with its version.',
    parameters: 'As the activity would have them.',
  },
  SimulateActivityResponse: {
    outcome: 'The decision, such as `OUTCOME_ALLOW` or `OUTCOME_REQUIRES_CONSENSUS`.',
    element: 'Which part of a batch decided, counted from 0; 0 if it is no batch.',
    reason: 'Why, in plain words: also a limit over time or a freeze that refuses it now, or its last approval.',
    policies: 'How each policy would judge.',
    mfaStatuses: 'What the assumed approvers would have to prove.',
    warnings: 'Suspicious parts of such a body. Absent if there are none.',
  },
  CreateMfaPolicyIntent: {
    condition: 'An expression over activities: for which ones the demand is. `true` means all.',
    requiredAuthenticationMethods: STEPS,
    order: ORDER,
    userId: 'The UUID of the user of whom further stamps are demanded.',
  },
  UpdateMfaPolicyIntent: {
    userId: 'The UUID of the user whose demand is changed.',
    condition: 'Replaces for which activities the demand is. Absent: it stays.',
    requiredAuthenticationMethods: 'Replaces all steps, 1 to 10. Absent: they stay.',
    order: 'Replaces the rank, 0 or more. Absent: it stays.',
  },
  DeleteMfaPolicyIntent: { userId: 'The UUID of the user whose demand ends.' },
  MfaPolicy: {
    condition: 'For which activities the demand is.',
    requiredAuthenticationMethods: STEPS,
    order: ORDER,
  },
  requiredAuthenticationMethods: { any: 'Methods of which the user needs only one, at most 10.' },
  requiredMethods: { any: 'Methods of which the user needs only one.' },
  missingMethods: { any: 'Methods of which the user still needs one.' },
  any: {
    type: 'The kind of credential that must stamp, such as a passkey.',
    id: 'The UUID of one credential, OAuth provider or session profile. Absent: any of the kind.',
  },
  satisfiedMethods: {
    type: 'The kind of credential that stamped, such as a passkey.',
    id: 'The UUID of the one credential that was demanded. Absent: any of the kind.',
  },
  MfaStatus: {
    userId: 'The UUID of the voter of whom it is demanded.',
    satisfiedMethods: 'What the voter has proved.',
    requiredMethods: 'Steps that are all needed.',
  },
  ExplainedMfa: {
    userId: 'The UUID of the voter of whom it is demanded.',
    satisfiedMethods: 'What the voter has proved.',
    requiredMethods: 'Steps that are all needed.',
    missingMethods: 'Steps that are still open.',
  },
  GivenProof: {
    userId: 'The UUID of the voter who stamped.',
    approvalActivityId: 'The UUID of the approval whose body was stamped.',
    credentialId: 'The UUID of the credential that stamped.',
    scheme: 'Which algorithm and form the signature has, as in the stamp.',
    publicKey: 'The key that verifies the stamp, in hex. Of a passkey it is its COSE key in base64url.',
    signature: 'Over the approval’s exact body, as in the stamp.',
  },
  GetMfaPolicyResponse: { mfaPolicy: 'The wanted demand with its steps.' },
  GetMfaPoliciesResponse: { mfaPolicies: 'All demands for further stamps of the user, in the order in which they are tried.' },
  GetMfaStatusRequest: {
    activityId: 'The UUID of the activity that waits.',
    userId: 'The UUID of the voter. Absent: all voters.',
  },
  GetMfaStatusResponse: { mfaStatuses: 'What voters must prove for this activity, and what they have.' },
};
