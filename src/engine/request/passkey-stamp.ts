import { fromBase64Url, plainBase64Url } from '../../base/bytes.ts';
import { ApiError } from '../../base/errors.ts';
import { isObject, parseJson } from '../../base/json.ts';
import type { PasskeyStamp } from '../ports.ts';

const LIMITS = { depth: 2, keys: 16 };

/** RS256 signatures have 512 bytes; client data has some hundreds. */
export const LONGEST_PASSKEY_STAMP = 8192;

const MEMBERS = ['credentialId', 'authenticatorData', 'clientDataJson', 'signature'] as const;

/** Bytes of each member. */
const MOST = { credentialId: 192, authenticatorData: 1024, clientDataJson: 3072, signature: 512 };

function malformed(what: string): ApiError {
  return new ApiError('SIGNATURE_INVALID', `malformed activity stamp: could not extract webauthn stamp: ${what}`);
}

function bytesOf(name: (typeof MEMBERS)[number], value: unknown): Buffer {
  const bytes = typeof value === 'string' ? fromBase64Url(plainBase64Url(value)) : undefined;
  if (bytes === undefined) throw malformed(`it must have ${MEMBERS.join(', ')}, all base64url`);
  if (bytes.length === 0 || bytes.length > MOST[name]) throw malformed(`${name} must have 1 to ${MOST[name]} bytes`);
  return bytes as Buffer;
}

/** From the members of a stamp. Throws SIGNATURE_INVALID. */
export function passkeyStamp(members: { [key: string]: unknown }): PasskeyStamp {
  const [credentialId, authenticatorData, clientDataJson, signature] = MEMBERS.map((name) => bytesOf(name, members[name]));
  const record = Object.fromEntries(MEMBERS.map((name) => [name, plainBase64Url(members[name] as string)]));
  return {
    credentialId: credentialId!.toString('base64url'),
    scheme: 'SIGNATURE_SCHEME_TK_WEBAUTHN',
    signature: JSON.stringify(record),
    assertion: { authenticatorData: authenticatorData!, clientDataJson: clientDataJson!, signature: signature! },
  };
}

/** The `X-Stamp-WebAuthn` header is plain JSON. Throws SIGNATURE_INVALID. */
export function decodePasskeyStamp(header: string): PasskeyStamp {
  if (header.length > LONGEST_PASSKEY_STAMP) throw malformed('the X-Stamp-WebAuthn header is too long');
  // Each character of a header is one byte.
  const parsed = parseJson(Buffer.from(header, 'latin1'), LIMITS);
  const value = 'value' in parsed ? parsed.value : undefined;
  if (!isObject(value)) throw malformed('the X-Stamp-WebAuthn header is not a JSON object');
  return passkeyStamp(value);
}
