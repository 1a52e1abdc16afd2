import { FIRST_TEN } from './pages.ts';
import type { Fields, Tables } from './types.ts';

const ACTIVITY: Fields = {
  id: 'The UUID of the activity. Its first 48 bits are the time.',
  status: 'Whether it took effect, failed, was rejected, or waits: for votes, or for further stamps (`…_AUTHENTICATORS_NEEDED`).',
  type: 'What was asked for, with its version, such as `ACTIVITY_TYPE_CREATE_WALLET`.',
  intent: 'One member, named by the type: the parameters as sent. Secret ones are empty for others.',
  result: 'One member, named by the type, once the activity is completed; else empty.',
  votes: 'Approvals and rejections, oldest first. The sender’s own comes first.',
  fingerprint: 'The digest of the body that was stamped, `sha256:` and 64 hex digits. Votes name the activity by it.',
  failure: 'Why it failed or was refused. Absent otherwise.',
};

const ERRORS: Tables = {
  Error: {
    code: 'The number of the gRPC status, such as 3 for a wrong request or 7 for a refused one.',
    message: 'The mistake and its remedy, for people. Programs read the details.',
    details: 'The error for programs, one entry for each kind of fact.',
  },
  ErrorDetail: {
    '@type': 'Which kind of entry it is, and so which other fields it has.',
    turnkeyErrorCode: 'The stable code that programs decide by, such as `REQUEST_INVALID`.',
    fieldViolations: 'The fields of the body that are wrong.',
    message: 'Why policies refused, for people.',
    policyEvaluations: 'How each policy judged the request.',
    code: 'Our own stable code, where the published interface has none or an activity was recorded.',
    activityId: 'The UUID of the activity that was refused or voted on, if one was recorded.',
    velocityControlId: 'The UUID of the limit over time that refused. Users who may not see policies are not told.',
    identifier: 'How policies read that limit.',
    bucket: 'Which of its counters refused: the id of a user, wallet or key. Empty: the one of the organization.',
    asked: 'How much the activity takes, in whole units, or how many transfers or activities.',
    left: 'How much the limit still allows in this window.',
    threshold: 'The most that the limit allows in a window.',
    roomAt: 'When there is room, if nothing else is counted, in RFC 3339. Absent: there never is.',
  },
  policyEvaluations: { outcome: 'How the policy judged, such as `OUTCOME_DENY_EXPLICIT`.' },
  fieldViolations: {
    field: 'The path of the field in the body, such as `parameters.users[0].userName`.',
    description: 'What the field must be.',
  },
};

export const activityFields: Tables = {
  ...ERRORS,
  Activity: ACTIVITY,
  SubmittedActivity: { ...ACTIVITY, timestampMs: 'The `timestampMs` of the body, in milliseconds since the epoch.' },
  failure: {
    code: 'The number of the gRPC status, such as 3 for a wrong request.',
    message: 'What went wrong, for people.',
    details: 'The error for programs, as in the answer of a refused request.',
  },
  Vote: {
    id: 'The UUID of the vote.',
    userId: 'The UUID of the user who voted.',
    user: 'The voter as they were when they voted, with their credentials.',
    activityId: 'The UUID of the activity that the vote is about.',
    selection: 'For or against.',
    message: 'The exact body that the voter stamped.',
    publicKey: 'The key whose signature it is, in hex. Of a passkey it is its COSE key in base64url.',
    signature: 'The signature over `message`, as in the stamp.',
    scheme: 'Which algorithm and form the signature has, as in the stamp.',
    createdAt: 'When the vote was received.',
  },
  AuditRow: {
    activityId: 'The UUID of the activity that this row is about.',
    type: 'What was asked for, with its version.',
    status: 'The state that the activity has reached.',
    userId: 'The UUID of the user who submitted it.',
    credentialId: 'The UUID of the submitter’s credential. Absent if that user is not in the organization.',
    walletIds: 'UUIDs of the wallets that it concerned.',
  },
  ApproveActivityIntent: { fingerprint: 'The `fingerprint` of the activity to approve: `sha256:` and 64 hex digits.' },
  RejectActivityIntent: { fingerprint: 'The `fingerprint` of the activity to reject: `sha256:` and 64 hex digits.' },
  GetActivityRequest: { activityId: 'The UUID of the wanted activity.' },
  GetActivityResponse: { activity: 'The wanted activity, with its votes and its result.' },
  ListActivitiesRequest: {
    filterByStatus: 'Only activities in these states. An empty list does not filter.',
    paginationOptions: FIRST_TEN,
  },
  ListActivitiesResponse: {
    activities: 'A page of activities, newest first, without secrets. Archived ones only by user, credential or wallet.',
  },
  ListAuditRequest: {
    filterByStatus: 'Only activities in these states. An empty list does not filter.',
    paginationOptions: FIRST_TEN,
  },
  ListAuditResponse: {
    facts: 'A page of rows, one for each activity, newest first, archived ones included. With `next` it may be empty.',
  },
  ListAppProofsRequest: { activityId: 'The UUID of the activity whose proofs are wanted.' },
  AppProof: {
    scheme: 'The algorithm: ECDSA on P-256 by the service’s key of one start.',
    publicKey: 'Two uncompressed P-256 points in hex, 260 digits, of which the second verifies. The boot proof vouches for them.',
    signature: 'r and s in hex, 128 digits, over SHA-256 of `proofPayload`.',
  },
  BootProof: {
    ephemeralPublicKeyHex: 'Two uncompressed P-256 points in hex: for sealing, and for signatures of app proofs.',
    awsAttestationDocB64: 'Base64 of the document that the service signed. The name is kept for published clients.',
    deploymentLabel: 'The program and its version, such as `countersign-1.0.0`.',
    enclaveApp: 'The program: always `countersign`.',
    createdAt: 'When the process signed for the first time.',
  },
  GetLatestBootProofRequest: { appName: 'The program: `countersign`. Every other name has no proof.' },
  CreateStreamTicketRequest: { subOrganizations: 'True: also activities of organizations below. Default false.' },
  CreateStreamTicketResponse: { expiresAt: 'When the ticket ends, a minute after it was made. It works once.' },
  Timestamp: {
    seconds: 'Whole seconds since 1970-01-01 UTC, in decimal digits.',
    nanos: 'The rest of the second in nanoseconds: whole milliseconds, so it ends in six zeros or is `0`.',
  },
  Pagination: { after: 'Return only entries that follow this one in the list: the id or cursor of its last entry.' },
  ListAppProofsResponse: {
    appProofs: 'Signed statements about the decision and derived addresses; empty if the body asked for none.',
  },
};
