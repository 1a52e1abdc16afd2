import { z } from 'zod';
import { UUID } from '../../../src/base/ids.ts';

/** The text says nothing about what exists: it is stored, shown, signed, compared or read as a language. */
export const TEXT = 'text';

/**
 * What the text in each field names, by the field's own name: kinds of `kinds.ts`, or TEXT. An entry of two names is for a
 * member of that member. One with the operation in front and the whole path is for that place alone. A field that is not here
 * fails the tests that go through all operations.
 */
const FIELDS: Readonly<Record<string, string | readonly string[]>> = {
  activityId: 'activity',
  activityType: TEXT,
  addPrivateKeyIds: 'privateKey',
  address: ['address', 'privateKeyAddress'],
  addUserIds: 'user',
  allowedAuthMethods: TEXT,
  allowedOrigins: TEXT,
  apiKeyId: 'apiKey',
  apiKeyIds: 'apiKey',
  apiKeyName: 'name',
  appName: TEXT,
  approverUserIds: 'user',
  attestationObject: TEXT,
  authCode: TEXT,
  aud: TEXT,
  authenticatorId: 'authenticator',
  authenticatorIds: 'authenticator',
  authenticatorName: 'name',
  bearerTokenTargetPublicKey: TEXT,
  bucket: TEXT,
  caip2: TEXT,
  caip19: TEXT,
  cardHolderEmail: 'email',
  cardHolderName: 'name',
  challenge: TEXT,
  cidr: TEXT,
  clientDataJson: TEXT,
  clientId: TEXT,
  codeVerifier: TEXT,
  condition: TEXT,
  consensus: TEXT,
  contact: 'email',
  credentialId: 'credentialId',
  deadline: TEXT,
  decimals: TEXT,
  duration: TEXT,
  data: TEXT,
  deliveryIds: 'webhookDelivery',
  createdFromMs: TEXT,
  createdUntilMs: TEXT,
  email: 'knownEmail',
  emailAuthTemplateId: TEXT,
  enabledSocialProviders: TEXT,
  endpointId: 'webhookEndpoint',
  ephemeralKey: TEXT,
  eventType: TEXT,
  encryptedBundle: TEXT,
  encryptedOtpBundle: TEXT,
  encryptedClientSecret: TEXT,
  encryptedPrivateApiKey: TEXT,
  encryptedSecretApiKey: TEXT,
  countryCode: TEXT,
  countrySubdivisionCode: TEXT,
  fiatCurrencyAmount: TEXT,
  fiatOnrampCredentialId: 'fiatOnRampCredential',
  projectId: TEXT,
  publishableApiKey: TEXT,
  transactionId: 'onRampTransaction',
  urlForSignature: TEXT,
  walletAddress: TEXT,
  expirationSeconds: TEXT,
  createdAfter: TEXT,
  createdBefore: TEXT,
  filterByActivityId: 'activity',
  filterByCredentialId: 'apiKey',
  filterByCaip2: TEXT,
  filterByFingerprint: 'fingerprint',
  filterByFrom: 'address',
  filterByType: TEXT,
  filterByUserId: 'user',
  filterByWalletId: 'wallet',
  filtersJson: TEXT,
  fingerprint: 'fingerprint',
  from: ['address', 'privateKeyAddress'],
  fromMs: TEXT,
  gasStationNonce: TEXT,
  gasLimit: TEXT,
  identifier: 'identifier',
  invitationId: 'invitation',
  iss: TEXT,
  key: TEXT,
  label: 'name',
  limit: TEXT,
  logoUrl: TEXT,
  magicLinkTemplate: TEXT,
  maxFeePerGas: TEXT,
  maxPriorityFeePerGas: TEXT,
  mfaPolicyId: 'mfaPolicy',
  mfaPolicyName: 'name',
  name: 'name',
  newPrivateKeyTagName: 'name',
  newUserTagName: 'name',
  nonce: TEXT,
  notes: TEXT,
  oauthClientIds: TEXT,
  oauthRedirectUrl: TEXT,
  oauth2CredentialId: 'oauth2Credential',
  organizationId: 'organization',
  oidcToken: TEXT,
  organizationName: 'name',
  orgWindowLimitUsd: TEXT,
  otpCode: TEXT,
  otpId: 'otp',
  otpTemplateId: TEXT,
  orbPlanId: TEXT,
  path: TEXT,
  paymentEmail: 'email',
  paymentMethodId: TEXT,
  payload: TEXT,
  payloads: TEXT,
  policyCondition: TEXT,
  policyConsensus: TEXT,
  policyId: 'policy',
  policyIds: 'policy',
  policyName: 'name',
  policyNotes: TEXT,
  privateKeyId: 'privateKey',
  privateKeyIds: 'privateKey',
  privateKeyName: 'name',
  privateKeyTagId: 'privateKeyTag',
  privateKeyTagIds: 'privateKeyTag',
  privateKeyTagName: 'name',
  privateKeyTags: 'privateKeyTag',
  productId: TEXT,
  providerIds: 'oauthProvider',
  providerName: TEXT,
  publicKey: 'publicKey',
  reason: TEXT,
  redirectUri: TEXT,
  receiverUserEmail: 'email',
  receiverUserName: 'name',
  receiverUserTags: 'userTag',
  removePrivateKeyIds: 'privateKey',
  removeUserIds: 'user',
  replyToEmailAddress: TEXT,
  rootEmail: 'email',
  rootUserId: 'user',
  scope: TEXT,
  secretId: 'secret',
  secretIds: 'secret',
  secretPayload: TEXT,
  sendTransactionStatusId: 'send',
  senderUserId: 'user',
  sessionProfileId: 'sessionProfile',
  sessionProfileName: 'name',
  sendFromEmailAddress: TEXT,
  sendFromEmailSenderName: TEXT,
  signedTransaction: TEXT,
  recentBlockhash: TEXT,
  signWiths: 'solanaAddress',
  signWith: ['address', 'privateKeyAddress', 'privateKey', 'walletAccount', 'wallet'],
  smartContractAddress: TEXT,
  smartContractInterface: TEXT,
  smartContractInterfaceId: 'contractInterface',
  sub: TEXT,
  socialLinkingClientIds: TEXT,
  subject: TEXT,
  subOrganizationName: 'name',
  subOrgWindowLimitUsd: TEXT,
  target: TEXT,
  targetPublicKey: TEXT,
  targets: TEXT,
  template: TEXT,
  templateId: TEXT,
  templateVariables: TEXT,
  threshold: TEXT,
  time: TEXT,
  to: TEXT,
  unsignedTransaction: TEXT,
  untilMs: TEXT,
  url: TEXT,
  userEmail: 'email',
  userId: 'user',
  userIdentifier: TEXT,
  userIds: 'user',
  userName: 'name',
  userPhoneNumber: 'phone',
  userTagId: 'userTag',
  userTagIds: 'userTag',
  userTagName: 'name',
  userTags: 'userTag',
  value: TEXT,
  entryId: 'velocityEntry',
  velocityControlId: 'velocityControl',
  verificationToken: TEXT,
  walletAccountId: 'walletAccount',
  walletAccountIds: 'walletAccount',
  walletId: 'wallet',
  walletIds: 'wallet',
  walletName: 'name',
  removalDelay: TEXT,
  zone: TEXT,
  windowDurationMinutes: TEXT,
  transferId: 'outsideId',
  verifyingKey: TEXT,
  senderSignature: TEXT,
  senderIdentityPublicKey: TEXT,
  refundSignature: TEXT,
  receiverPublicKey: TEXT,
  operatorId: TEXT,
  message: TEXT,
  leafId: TEXT,
  hiding: TEXT,
  encryptionPublicKey: TEXT,
  directRefundSignature: TEXT,
  directFromCpfpRefundSignature: TEXT,
  ciphertext: TEXT,
  binding: TEXT,
  adaptorPublicKey: TEXT,
  appId: 'tvcApp',
  appQuorumKey: TEXT,
  attestationDocB64: TEXT,
  ephemeralPublicKeyHex: TEXT,
  manifestB64: TEXT,
  operatorEncryptKey: TEXT,
  operatorEncryptKeys: TEXT,
  operatorName: 'name',
  operatorSignKey: TEXT,
  reEncryptedShareHex: TEXT,
  deploymentId: 'tvcDeployment',
  existingOperatorIds: 'tvcOperator',
  expectedPivotDigest: TEXT,
  manifestId: 'tvcManifest',
  manifestSetId: 'tvcOperatorSet',
  pivotArgs: TEXT,
  pivotContainerEncryptedPullSecret: TEXT,
  pivotContainerImageUrl: TEXT,
  pivotPath: TEXT,
  qosVersion: TEXT,
  quorumPublicKey: TEXT,
  shareSetId: 'tvcOperatorSet',
  signature: TEXT,
  sinceSeconds: TEXT,
  tvcAppId: 'tvcApp',
  'newOperators.publicKey': TEXT,
  'CREATE_TVC_MANIFEST_APPROVALS approvals.operatorId': 'tvcOperator',
  'shareApprovalBundle.operatorId': 'tvcOperator',
  'get_tvc_deployment_provisioning_details deploymentId': 'tvcAwaiting',
  'any.id': 'apiKey',
  'SET_IP_ALLOWLIST publicKey': 'key',
  'REMOVE_IP_ALLOWLIST publicKey': 'key',
  'VERIFY_OTP publicKey': TEXT,
  'get_ip_allowlist publicKey': 'key',
  // A position: any id will do.
  'list_email_events paginationOptions': 'activity',
  'list_private_key_tags paginationOptions': 'privateKeyTag',
  // In the first form of a passkey, where `rawId` is what the authenticator signed.
  'authenticators.userId': TEXT,
  'authenticator.userId': TEXT,
  'rootAuthenticator.userId': TEXT,
  'attestation.id': TEXT,
  'attestation.rawId': TEXT,
  'clientSignature.publicKey': TEXT,
  'clientSignature.message': TEXT,
  'clientSignature.signature': TEXT,
  'CREATE_AUTHENTICATORS authenticators.userId': 'user',
  'ACCEPT_INVITATION userId': 'invitee',
  'get_nonces address': TEXT,
  'get_authenticators paginationOptions': 'authenticator',
  'list_oauth2_credentials paginationOptions': 'oauth2Credential',
  'SIGN_RAW_PAYLOAD privateKeyId': ['address', 'privateKeyAddress', 'privateKey'],
  'SOL_SEND_TRANSACTION signWith': 'solanaAddress',
  'SPARK_CLAIM_TRANSFER signWith': 'sparkAddress',
  'SPARK_PREPARE_LIGHTNING_RECEIVE signWith': 'sparkAddress',
  'SPARK_PREPARE_TRANSFER signWith': 'sparkAddress',
  'SPARK_SIGN_FROST signWith': 'sparkAddress',
  'operatorCommitments.id': TEXT,
  'list_sol_transaction_history address': 'solanaAddress',
  'SIGN_TRANSACTION privateKeyId': ['address', 'privateKeyAddress', 'privateKey'],
  'list_activities paginationOptions': 'activity',
  'list_audit paginationOptions': 'activity',
  'list_waiting_activities paginationOptions': 'activity',
  'list_policies paginationOptions': 'policy',
  'list_secrets paginationOptions': 'secret',
  'list_sends paginationOptions': 'send',
  // A cursor there names no row: any id does.
  'list_eth_transaction_history paginationOptions': 'send',
  'list_sol_transaction_history paginationOptions': 'send',
  'get_usage from': TEXT,
  'get_usage paginationOptions': 'organization',
  'list_webhook_deliveries paginationOptions': 'webhookDelivery',
  'list_private_keys paginationOptions': 'privateKey',
  'list_smart_contract_interfaces paginationOptions': 'contractInterface',
  'find_suborgs paginationOptions': 'organization',
  'list_suborgs paginationOptions': 'organization',
  'list_verified_suborgs paginationOptions': 'organization',
  'list_user_tags paginationOptions': 'userTag',
  'list_users paginationOptions': 'user',
  'list_wallet_accounts paginationOptions': 'walletAccount',
  'list_wallets paginationOptions': 'wallet',
  'list_velocity_controls paginationOptions': 'velocityControl',
  'list_velocity_buckets paginationOptions': TEXT,
  'list_velocity_entries paginationOptions': 'activity',
  'get_api_keys paginationOptions': 'apiKey',
  'get_oauth_providers paginationOptions': 'oauthProvider',
  'replay_policy after': 'activity',
  'replay_velocity_control after': TEXT,
  'simulate_activity type': TEXT,
  /** `attacks.ts` goes through what they may name. */
  'find_suborgs search': TEXT,
  'list_suborgs filterValue': TEXT,
  'list_verified_suborgs filterValue': TEXT,
  'simulate_activity parameters': TEXT,
};

export type JsonSchema = {
  type?: string;
  properties?: Record<string, JsonSchema>;
  items?: JsonSchema;
  required?: string[];
  maxItems?: number;
  minItems?: number;
  maxLength?: number;
  minLength?: number;
  minimum?: number;
  exclusiveMinimum?: number;
  additionalProperties?: unknown;
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  enum?: unknown[];
  const?: unknown;
  pattern?: string;
};

/** A member, or 0 for any element of a list. */
export type Path = readonly (string | 0)[];

/** A text, or what has no type, somewhere in parameters. */
export type Leaf = { path: Path; isId: boolean };

const inputs = new WeakMap<z.ZodType, JsonSchema>();

export function inputSchema(schema: z.ZodType): JsonSchema {
  const made =
    inputs.get(schema) ?? (z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any', reused: 'inline' }) as JsonSchema);
  inputs.set(schema, made);
  return made;
}

export const shown = (path: Path): string =>
  path.reduce<string>((text, part) => (part === 0 ? `${text}[0]` : `${text}${text === '' ? '' : '.'}${part}`), '');

function walk(schema: JsonSchema, path: Path, found: Map<string, Leaf>): void {
  const either = schema.anyOf ?? schema.oneOf;
  if (either) for (const option of either) walk(option, path, found);
  else if (schema.properties)
    for (const [name, member] of Object.entries(schema.properties)) walk(member, [...path, name], found);
  else if (schema.items && schema.maxItems === 0) return;
  else if (schema.items) walk(schema.items, [...path, 0], found);
  else if (schema.enum || schema.const !== undefined || ['number', 'integer', 'boolean', 'null'].includes(schema.type ?? ''))
    return;
  else if (JSON.stringify(schema) !== '{"not":{}}') {
    const known = found.get(shown(path));
    found.set(shown(path), { path, isId: known?.isId === true || schema.pattern === UUID.source });
  }
}

export function leavesOf(schema: z.ZodType): Leaf[] {
  const found = new Map<string, Leaf>();
  walk(inputSchema(schema), [], found);
  return [...found.values()];
}

/** What the field names; [] for TEXT. Throws for a field that is not in the table. */
export function kindsAt(operation: string, { path, isId }: Leaf): readonly string[] {
  const members = path.filter((part) => part !== 0);
  const cursor = /^(before|after)$/.test(members.at(-1)!) ? members.slice(0, -1) : members;
  const own =
    FIELDS[`${operation} ${(cursor.length ? cursor : members).join('.')}`] ??
    FIELDS[members.slice(-2).join('.')] ??
    FIELDS[members.at(-1)!];
  const at = `${operation}: ${shown(path)}`;
  const say = `add a line for it to FIELDS in tests/support/world/fields.ts`;
  if (own === undefined) throw new Error(`${at} is not known to name a kind of thing, or to be plain text: ${say}`);
  if (own === TEXT && isId) throw new Error(`${at} is an id, and so it names something: ${say}`);
  return own === TEXT ? [] : [own].flat();
}

/** Puts a value at a path. False if a list of objects on the way has no element. */
export function put(target: unknown, path: Path, value: unknown): boolean {
  let at = target as Record<string | 0, unknown>;
  for (const [i, part] of path.entries()) {
    if (i === path.length - 1) {
      at[part] = value;
      return true;
    }
    const next = path[i + 1];
    if (at[part] === undefined && part === 0) return false;
    at[part] ??= next === 0 ? [] : {};
    at = at[part] as Record<string | 0, unknown>;
  }
  return false;
}

export function valueAt(target: unknown, path: Path): unknown {
  let at = target as Record<string | 0, unknown> | undefined;
  for (const part of path) at = at?.[part] as Record<string | 0, unknown> | undefined;
  return at;
}
