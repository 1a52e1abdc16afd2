import type { Tables } from './types.ts';

const TWO_KEYS = 'Two uncompressed P-256 points in hex, 260 digits: for sealing, then for signatures.';
const ENCRYPT = 'The uncompressed P-256 point in hex to which shares are sealed.';
const SIGN = 'The uncompressed P-256 point in hex that verifies approvals.';
const APPROVERS = 'Operators who approve manifests.';
const KEEPERS = 'Operators who keep shares of the app’s key.';

export const tvcFields: Tables = {
  CreateTvcAppParams: {
    name: 'A label for people, at most 255 characters.',
    quorumPublicKey: TWO_KEYS,
    manifestSetId: 'The UUID of an existing set that approves manifests. Give it or `manifestSetParams`.',
    manifestSetParams: 'Operators of a new set that approves manifests, and how many of them must.',
    shareSetId: 'The UUID of an existing set that keeps shares. Give it or `shareSetParams`.',
    shareSetParams: 'A new set that keeps shares of the app’s key.',
  },
  CreateTvcAppResult: {
    appId: 'The UUID of the new app.',
    manifestSetId: 'The UUID of the set that approves manifests.',
    manifestSetOperatorIds: 'UUIDs of the operators that approve manifests.',
    manifestSetThreshold: 'How many approvals a manifest needs.',
    shareSetId: 'The UUID of the set that keeps shares.',
    shareSetOperatorIds: 'UUIDs of the operators that keep shares.',
    shareSetThreshold: 'How many shares together give the app its key.',
  },
  OperatorSetParams: {
    name: 'A label of the set, at most 255 characters.',
    newOperators: 'Operators by name and keys, at most 50. One that the organization has already is not added again.',
    threshold: 'How many of the operators are needed: 1 to their number, and 2 or more to keep shares.',
  },
  newOperators: { name: 'The operator’s label, at most 255 characters.', publicKey: TWO_KEYS },
  TvcApp: {
    id: 'The UUID of the app.',
    name: 'A label for people.',
    quorumPublicKey: TWO_KEYS,
    manifestSet: APPROVERS,
    shareSet: KEEPERS,
  },
  TvcOperatorSet: {
    id: 'The UUID of the set.',
    name: 'A label by which people know the set.',
    operators: 'Its members, in the order in which they were named.',
    threshold: 'How many of the members are needed.',
  },
  TvcOperator: {
    id: 'The UUID of the operator.',
    name: 'A label by which people know the operator.',
    publicKey: TWO_KEYS,
    encryptPublicKey: ENCRYPT,
    signPublicKey: SIGN,
  },
  TvcDeployment: {
    id: 'The UUID of the deployment.',
    appId: 'The UUID of the app of which it is a version.',
    manifestSet: APPROVERS,
    shareSet: KEEPERS,
    manifest: 'The document that says what the deployment runs.',
    manifestApprovals: 'Signatures of operators over the hash of the manifest.',
    pivotContainer: 'The image that runs, and how it is reached.',
  },
  'TvcDeployment.manifest': { id: 'The UUID of the manifest.', manifest: 'Base64 of the manifest’s JSON.' },
  manifestApprovals: {
    id: 'The UUID of the approval.',
    operator: 'The operator whose key made the signature.',
    approval: 'Base64 of r and s, 64 bytes, over the hash of the manifest.',
  },
  pivotContainer: {
    containerUrl: 'The image by its registry, name and digest or tag.',
    path: 'The absolute path of the executable inside the image.',
    args: 'Arguments of the executable.',
  },
  CreateTvcDeploymentParams: {
    appId: 'The UUID of the app of which it becomes a version.',
    nonce: 'A number that no other deployment of the app has: 0 to 4294967295. Default: the time in seconds.',
  },
  CreateTvcDeploymentResult: { deploymentId: 'The UUID of the new deployment.' },
  CreateTvcManifestApprovalsParams: { approvals: 'One signature for each operator, at most 50.' },
  approvals: {
    operatorId: 'The UUID of the operator who signed.',
    signature: 'r and s in hex, 128 digits, over the hash of the manifest.',
  },
  CreateTvcManifestApprovalsResult: { approvalIds: 'UUIDs of the approvals, in the order of the request.' },
  DeleteTvcAppAndDeploymentsIntent: { appId: 'The UUID of the app to mark as deleted.' },
  DeleteTvcAppAndDeploymentsResult: { appId: 'The UUID of the app that is marked as deleted.' },
  ListTvcAppDeploymentsRequest: { appId: 'The UUID of the app whose versions are wanted.' },
  ListTvcAppDeploymentsResponse: { tvcDeployments: 'Versions of the app, oldest first, also deleted ones.' },
  GetTvcDeploymentResponse: { tvcDeployment: 'The wanted version of an app.' },
  GetTvcAppRequest: { tvcAppId: 'The UUID of the wanted app.' },
  GetTvcAppResponse: { tvcApp: 'The wanted app with its two sets of operators.' },
  ListTvcAppsResponse: { tvcApps: 'Verifiable apps, oldest first, also deleted ones.' },
  ListTvcOperatorsResponse: { tvcOperators: 'People and programs that approve or keep shares, oldest first.' },
  ListTvcQuorumKeysResponse: { tvcQuorumKeys: 'Keys of apps, of which only shares exist, oldest first.' },
  GetAppStatusRequest: { appId: 'The UUID of the app that is asked about.' },
  GetAppStatusResponse: { appStatus: 'Each deployment of the app, with its copies and the state of its key.' },
  appStatus: {
    appId: 'The UUID of the app that is asked about.',
    deployments: 'Versions of the app, oldest first, also deleted ones.',
  },
  deployments: {
    readyReplicas: 'How many copies answer their health check: 1 or 0.',
    desiredReplicas: 'How many copies should run: 1, or 0 of a deleted deployment.',
    problem: 'Why it does not start or run. Absent if it does.',
    lastUpdatedTime: 'When the state was last reported.',
  },
  GetTvcQosVersionsResponse: {
    availableVersions: 'What a deployment may name as `qosVersion`.',
    latestVersion: 'The last of `availableVersions`: name it as `qosVersion`, unless an older one is needed.',
  },
  GetTvcDeploymentDebugLogsResponse: { entries: 'Lines that the app wrote in the last 24 hours, oldest first, at most 1 MiB.' },
  entries: { line: 'What the app wrote.', replicaLabel: 'Which copy of the app wrote it: always `replica 1/1`.' },
  line: { content: 'The text without its line break.', ts: 'When it was written, if that is known.' },
  GetTvcDeploymentProvisioningDetailsResponse: {
    attestationDocument: 'Base64 of a document that the service signed. It has the deployment’s ephemeral key.',
  },
  CreateTvcOperatorParams: {
    operatorName: 'A label for people, at most 255 characters.',
    walletId: 'The UUID of the wallet that has the operator’s keys. Give it or `walletName`.',
    walletName: 'The label of a new wallet for the operator’s keys. Give it or `walletId`.',
    path: "The BIP-32 path such as `m/5527107'/0'/0'`. Its step 0 is the key for shares, its step 1 for approvals.",
  },
  CreateTvcOperatorResult: {
    walletId: 'The UUID of the wallet that has the operator’s keys.',
    operatorId: 'The UUID of the new operator.',
    encryptPublicKey: ENCRYPT,
    signPublicKey: SIGN,
  },
  CreateTvcQuorumKeyParams: { threshold: 'How many shares together give the key: 2 to their number.' },
  CreateTvcQuorumKeyResult: { quorumKeyId: 'The UUID of the new key.', quorumPublicKey: TWO_KEYS },
  TvcQuorumKey: {
    id: 'The UUID of the key.',
    publicKey: TWO_KEYS,
    threshold: 'How many shares together give the key.',
  },
  ReEncryptTvcQuorumKeyShareParams: {
    attestationDocB64: 'Base64 of the document with the deployment’s ephemeral key, from its provisioning details.',
    operatorEncryptKey: 'The key to which the operator’s share is sealed: 130 hex digits.',
    operatorSignKey: 'The key that the operator approves with: 130 hex digits.',
    appQuorumKey: 'The app’s two public keys: 260 hex digits.',
  },
  PostTvcQuorumKeyShareParams: {
    ephemeralPublicKeyHex: 'The deployment’s two keys of this start: 260 hex digits.',
    shareApprovalBundle: 'The sealed share, and the operator’s signature.',
  },
  shareApprovalBundle: {
    operatorId: 'The UUID of the operator whose share it is.',
    signature: 'r and s in hex, 128 digits, over the hash of the manifest.',
  },
};
