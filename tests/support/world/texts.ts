/** What a refusal says of a wrong parameter, by what is wrong with it. */
const GENERAL: Readonly<Record<string, RegExp>> = {
  missing: /^is required \((a string|an array|an object|a number)\)$/,
  null: /^is required \((a string|an array|an object|a number)\)$/,
  'a number': /^must be a (string|boolean), not a number/,
  'a list': /^must be (a string|an object), not an array/,
  'an object': /^must be (a string|an array), not an object/,
  'a text': /^must be (an object|an array|a boolean|a number), not a string/,
  empty: /^(must not be empty|must name at least one|Too small: expected (string|array) to have >=1)/,
  'not of its form': /^(must be a UUID|must not have control characters|must be base64url)/,
  'too long':
    /^(must have at most \d+ characters|Too big: expected string to have <=\d+ characters|must be a UUID)|at most \d+ characters$/,
  'too many': /^Too big: expected array to have <=\d+ items|at most \d+/,
  'a fraction': /^must be a whole number/,
  'too small': /^(Too small: expected number|must be a whole number)/,
};

const ofCurves = /^(curve required|invalid curve): must be one of CURVE_SECP256K1, /;
const ofSigner = /^must (name a wallet account address, a private key address or a private key id|be a Solana address)/;
const wholeNumber = /^must be a whole number (from \d+ to |of wei, in decimal digits, as a string$)/;
const day = /^must be a day such as 2026-01-31$/;
const wholeMs = /^must be milliseconds since the epoch, as a string$/;
const usd = /^must be an amount of USD from 0 to 1000000000 with at most six decimals, as a string/;
const effect = /^must be EFFECT_ALLOW or EFFECT_DENY$/;
const email = /^(invalid email address|must be an email address)/;
const sealed = /^must be the JSON text that the client sealed$/;
const hexDigits = /^must be hex digits, two for each byte/;
const threshold = /quorum threshold must be non-zero integer/;
const formats = /^invalid address format: must be one of ADDRESS_FORMAT_/;
const templateId = /^must be the UUID of an email template$/;

/** The same by the field's own name, where it has words of its own: many are known to clients. */
const OWN: Readonly<Record<string, RegExp>> = {
  accessType: /^invalid access type: must be one of ACCESS_TYPE_/,
  accounts: /missing wallet params/,
  addressFormat: formats,
  addressFormats: formats,
  any: /^must have at least one method$/,
  attestation: /^is required \(missing parameter: user authenticator attestation\)$/,
  authCode: /auth_code must be set/,
  authenticatorAttachment: /^must be cross-platform or platform$/,
  calls: /^must hold at least one call$/,
  clientId: /client_id must be set|^must be printable ASCII$/,
  codeVerifier: /code_verifier must be set/,
  contact: /^must be an email address or a phone number$/,
  createdFromMs: wholeMs,
  createdUntilMs: wholeMs,
  curve: ofCurves,
  curveType: /^invalid curve: must be one of API_KEY_CURVE_P256, API_KEY_CURVE_SECP256K1, API_KEY_CURVE_ED25519/,
  data: hexDigits,
  deadline: wholeNumber,
  effect,
  email,
  emailAuthTemplateId: templateId,
  encoding: /^invalid payload encoding: must be one of PAYLOAD_ENCODING_/,
  encryptedBundle: sealed,
  encryptedClientSecret: /encrypted_client_secret must be set/,
  encryptedOtpBundle: sealed,
  eventType: /^must be one of Send, Delivery, |^invalid event type: must be one of ACTIVITY_UPDATES, /,
  expirationSeconds:
    /^invalid api key expiration: must be a positive whole number of seconds, as a string|^must be a whole number of seconds from 1 to /,
  filterByStatus: /^invalid (activity )?status: must be one of /,
  filterByType: /^must be an activity type$/,
  filterType: /^must be one of (NAME, USERNAME, )?EMAIL, PHONE_NUMBER/,
  from: day,
  fromMs: wholeMs,
  gasLimit: wholeNumber,
  gasStationNonce: wholeNumber,
  hashFunction: /^invalid hash function: must be one of HASH_FUNCTION_/,
  interval: /^must be DAY or MONTH$/,
  invitations: /^must have at least one invitation$/,
  language: /^invalid mnemonic language: must be one of MNEMONIC_LANGUAGE_/,
  limit: wholeNumber,
  maxFeePerGas: wholeNumber,
  maxPriorityFeePerGas: wholeNumber,
  mnemonicLength: /^must be 12, 15, 18, 21 or 24$/,
  name: /^must be one of FEATURE_NAME_/,
  nonce: /nonce must be set|^must be a whole number from 0 to /,
  oauth2CredentialId: /oauth2_credential_id must be set/,
  onEvaluationError: /^invalid onEvaluationError: must be one of ALLOW, DENY$/,
  operator: /^must be one of OPERATOR_/,
  organizationId: /^malformed organization ID provided$/,
  orgWindowLimitUsd: usd,
  otpCode: /^must be the code that was sent$/,
  otpExpirationSeconds: /^must be a whole number of seconds from 1 to 600$/,
  otpLength: /^must be a whole number from 6 to 9$/,
  otpTemplateId: templateId,
  otpType: /^must be OTP_TYPE_EMAIL or OTP_TYPE_SMS: this service does not send by WhatsApp$|^must be one of OTP_TYPE_/,
  path: /^invalid path$/,
  pathFormat: /^invalid path format: must be PATH_FORMAT_BIP32$/,
  payloads: /^must hold at least one payload$/,
  policies: /^must hold at least one policy$/,
  policyEffect: effect,
  privateKeyId: ofSigner,
  provider: /^invalid OAuth 2\.0 provider: must be one of OAUTH2_PROVIDER_X, OAUTH2_PROVIDER_DISCORD$/,
  publicKey: /^must be a (hex public key|public key in hex, as get_api_keys shows it)$/,
  reason: /reason required: say why|^must say why$/,
  receiverUserEmail: email,
  recentBlockhash: /^must be a blockhash in base58$/,
  redirectUri: /redirect_uri must be set/,
  replyToEmailAddress: email,
  requiredAuthenticationMethods: /^must have at least one step$/,
  rootEmail: email,
  rootQuorumThreshold: threshold,
  scheme: /^must be CLIENT_SIGNATURE_SCHEME_API_P256$/,
  sendFromEmailAddress: email,
  sessionExpirationSeconds: /^must be a whole number of seconds from 1 to 31536000$/,
  signWith: ofSigner,
  signWiths: ofSigner,
  signedTransaction: /^must be (a signed transaction$|hex digits, two for each byte)/,
  status: /^invalid status: must be one of PENDING, DELIVERED, DEAD\b/,
  subOrgWindowLimitUsd: usd,
  targetPublicKey: /^must be a P-256 public key in hex, 65 or 33 bytes, without 0x$/,
  threshold,
  to: day,
  transports: /^invalid authenticator transport: must be one of AUTHENTICATOR_TRANSPORT_/,
  type: /^must be public-key$|unsupported transaction type|^must be SMART_CONTRACT_INTERFACE_TYPE_ETHEREUM or|^invalid type: must be one of AUTHENTICATION_TYPE_/,
  untilMs: wholeMs,
  url: /^must be an https URL, such as /,
  userEmail: email,
  userPhoneNumber: /^must be a phone number in E\.164 form, such as \+14155550100$/,
  value: wholeNumber,
  verificationToken: /^must be the verification token of VERIFY_OTP$/,
  verificationTokenExpirationSeconds: /^must be a whole number of seconds from 1 to 86400$/,
  walletAccountIds: /^invalid wallet account UUID$/,
  walletName: /missing wallet params/,
  windowDurationMinutes: /^must be a whole number of minutes from 1 to 43200, as a string/,
};

/** Whether the text of a refusal says what is wrong with this field of the request. `what`: as in `bad.ts`. */
export function saysWhy(text: string, field: string, what: string): boolean {
  const member = field.split(/[.[\]]+/).findLast((part) => part !== '' && part !== '0') ?? '';
  const said = text.replace('bad request body: ', '').replace(`${field}: `, '');
  return GENERAL[what]?.test(said) === true || OWN[member]?.test(said) === true;
}
