import type { ErrorCode } from './errors.ts';

/** What a caller does about each code, with links between documents. */
export const REMEDIES: Readonly<Record<ErrorCode, string>> = {
  REQUEST_INVALID: 'Mend the field that `fieldViolations` names, and send a new body.',
  BODY_TOO_LARGE: 'Send at most 1 MiB: split the request.',
  ORGANIZATION_NOT_FOUND:
    'Check `organizationId`, and that the address is the service that has it. A deleted organization is unknown too.',
  INVALID_ORGANIZATION_ID: 'Send a UUID as `organizationId`.',
  ORGANIZATION_MISMATCH: 'Name the organization that the credential or the token belongs to.',
  SIGNATURE_MISSING: 'Send one header with a [stamp](stamps.md). Check that no proxy removes it, and that it is base64url.',
  SIGNATURE_INVALID:
    'Stamp [the exact bytes](stamps.md#the-bytes) that you send. Check the scheme, and that both halves of the key belong together.',
  PUBLIC_KEY_NOT_FOUND: 'Add the key to a user with `create_api_keys`, or name the organization of its user.',
  CREDENTIAL_NOT_FOUND: 'Register the passkey with `create_authenticators`, or name the organization of its user.',
  CREDENTIAL_CONFLICT: 'Several sub-organizations have this credential: name one of them as `organizationId`.',
  API_KEY_EXPIRED: 'Log in again, or [rotate the key](permissions.md#rotating-an-api-key) with another credential of the user.',
  UNAUTHENTICATED: 'The text says what has ended or is unknown, such as a session. Log in again.',
  FORBIDDEN: 'The message names the forbidden login method, origin or address, or says that the captcha failed.',
  REQUEST_NOT_AUTHORIZED:
    'No policy allows it, one denies it, or an IP allow-list lacks the caller’s address. [Ask why](#why-was-i-refused).',
  VELOCITY_CONTROL_EXCEEDED:
    'Ask for less, or wait until `roomAt` and send a new body. See [limits over time](spending.md#what-an-answer-means).',
  VELOCITY_NOT_READABLE:
    'Send what can be read, or let the owner of the limit [exempt it](spending.md#why-a-case-is-not-readable).',
  FROZEN: 'Ask who froze it to [end the freeze](freezing.md), and then send a new body.',
  RATE_LIMIT_EXCEEDED: 'Wait for the seconds in `Retry-After`, and send the same body again. See [a 429](#a-429).',
  INTERNAL: 'Send the same body again. If it persists, give the operator the id in the answer: the log has the rest.',
  UNAVAILABLE: 'Send the same body again after `Retry-After`: it runs at most once.',
  NO_SPACE: 'Ask the operator to free disk space. Then send the same body again.',
  INVALID_ACTIVITY_CALLER: 'Send it in the top-level organization.',
  INVALID_OIDC_TOKEN: 'Get a new token from the provider. [Refused tokens](login/oauth.md#refused-tokens) has the causes.',
  OAUTH_PROVIDER_ALREADY_EXISTS: 'Another user has this account: log in as that user, or delete its provider first.',
  OAUTH2_CREDENTIAL_NOT_FOUND: 'Store one with `create_oauth2_credential`, or check the id.',
  OAUTH2_PROVIDER_NOT_CONFIGURED:
    'Check the client ID and secret at the provider, and send them with `update_oauth2_credential`.',
  FIAT_ON_RAMP_NOT_CONFIGURED: 'Store the keys of the provider with `create_fiat_on_ramp_credential`.',
  INVALID_EMAIL: 'Send an address such as `name@example.com`, without a display name.',
  INVALID_FQDN: 'Check the domain of the address: it takes no mail.',
  EMAIL_SENDING_DISABLED: 'Ask the operator to set up mail, or log in another way.',
  SMS_SENDING_DISABLED: 'Ask the operator to set up SMS, or use mail.',
  INVALID_TRANSACTION: 'Send one unsigned transaction in its canonical encoding, for the chain of the transaction type.',
  UNSUPPORTED_TRANSACTION_TYPE: 'Use one of the types that the text names. [Transactions](keys.md#transactions) lists them.',
  WALLET_ACCOUNT_NOT_EXPORTED: 'Export it first, or send `deleteWithoutExport: true`.',
  SPONSORSHIP_DISABLED: 'Enable it with `upsert_gas_usage_config`, or send without `sponsor`.',
  SPONSORSHIP_UNAVAILABLE:
    'Ask the operator to set up [sponsored sends](sending.md#sponsored-sends) for the network, or pay the gas yourself.',
  GAS_LIMIT_EXCEEDED:
    'Wait for the seconds in `Retry-After`, or pay the gas yourself. Without that header, the limit must be raised.',
  NOT_FOUND: 'Check the id, and that it belongs to the organization of the request.',
  ACTIVITY_ARCHIVED: 'Send a new body: change `timestampMs`. The operator has the archived record.',
  ROUTE_NOT_FOUND: 'Check the path: the text suggests a similar one.',
  METHOD_NOT_ALLOWED: 'Send a POST.',
  LIMIT_EXCEEDED:
    'The organization or user has as many as it may: delete some. With `Retry-After`, wait instead. See [a 429](#a-429).',
  MAX_OTP_INITIATED: 'Use the code that was sent. Or wait for the seconds in `Retry-After`, and send the same body again.',
  TVC_IMAGE_VALIDATION_FAILED: 'The text says why: mend the image, or its credentials.',
  SIGNING_QUOTA_EXCEEDED: 'Wait for the next period, or ask the operator for a higher quota.',
};
