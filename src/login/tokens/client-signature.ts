import { fromHex } from '../../base/bytes.ts';
import { dropNulls, isObject, type Json, parseJson } from '../../base/json.ts';
import { encodeEcdsaSignature } from '../../crypto/der.ts';
import { importStampKey, parseStampPublicKey } from '../../crypto/stamp.ts';
import { burstVerifier } from '../../crypto/stamp-bursts.ts';

/** As it is in a request. */
export type ClientSignature = { publicKey: string; scheme: string; message: string; signature: string };

/** The use of a token, as the holder of its key declares it. */
export type TokenUsage = {
  tokenId: string;
  type: 'USAGE_TYPE_SIGNUP' | 'USAGE_TYPE_LOGIN';
  /** The parameters of the user, or of the login, that the token is used for. */
  about: { readonly [name: string]: Json };
};

/** A sign-up may contain attestations of passkeys. */
const LIMITS = { depth: 16, keys: 10_000 } as const;

/** The member that has the parameters, in the messages of current and of older clients. */
const MEMBERS = { USAGE_TYPE_SIGNUP: ['signupV2', 'signup'], USAGE_TYPE_LOGIN: ['login'] } as const;

const isUsage = (type: unknown): type is TokenUsage['type'] => typeof type === 'string' && Object.hasOwn(MEMBERS, type);

/**
 * 128 hex digits are r ‖ s, as published clients write it. Any other text is DER: its two integers of full length take more.
 */
function derOf(signature: string): Buffer | undefined {
  const bytes = signature.length <= 144 ? fromHex(signature) : undefined;
  if (bytes === undefined) return undefined;
  return Buffer.from(bytes.length === 64 ? encodeEcdsaSignature(bytes) : bytes);
}

/** Signatures of logins that arrive together are verified on the thread pool. */
const verifyAmongOthers = burstVerifier();

/** Whether the key signed the message as it was received. `publicKey`: lower-case hex, 33 bytes. */
export async function isSignedBy(publicKey: string, given: ClientSignature): Promise<boolean> {
  if (given.scheme !== 'CLIENT_SIGNATURE_SCHEME_API_P256') return false;
  if (given.publicKey !== publicKey && parseStampPublicKey('API_KEY_CURVE_P256', given.publicKey) !== publicKey) return false;
  const key = importStampKey('SIGNATURE_SCHEME_TK_API_P256', Buffer.from(publicKey, 'hex'));
  const signature = derOf(given.signature);
  if (key === undefined || signature === undefined) return false;
  return verifyAmongOthers(key, Buffer.from(given.message), signature);
}

/**
 * The contents of the message, whatever the order of its members. Undefined if it is no such message, or has further members.
 */
export function readUsage(message: string): TokenUsage | undefined {
  const parsed = parseJson(Buffer.from(message), LIMITS);
  const value = 'value' in parsed ? dropNulls(parsed.value) : undefined;
  if (!isObject(value)) return undefined;
  const { tokenId, type, ...rest } = value;
  if (typeof tokenId !== 'string' || !isUsage(type)) return undefined;
  const [[name, about] = [], ...more] = Object.entries(rest);
  const names: readonly unknown[] = MEMBERS[type];
  if (more.length > 0 || !names.includes(name) || !isObject(about)) return undefined;
  return { tokenId, type, about: about as TokenUsage['about'] };
}
