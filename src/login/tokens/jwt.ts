import { fromBase64Url, toBase64Url } from '../../base/bytes.ts';
import { isObject, type Json, parseJson } from '../../base/json.ts';

type Members = { readonly [name: string]: Json | undefined };

/** More than any token of this service needs. */
const LONGEST = 8192;

const LIMITS = { depth: 8, keys: 64 } as const;

/**
 * JSON in ASCII without the characters `?`, `>`, `~` and DEL. Base64url would write them with `-` or `_`, which decoders of
 * published clients drop.
 */
const asciiJson = (value: Members): string =>
  JSON.stringify(value).replace(/[?>~\u007f-\uffff]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);

const segment = (value: Members): string => toBase64Url(Buffer.from(asciiJson(value)));

/** A JWT (RFC 7519) in compact form. `sign` returns r ‖ s. */
export function writeJwt(header: Members, claims: Members, sign: (signed: Buffer) => Uint8Array): string {
  const signed = `${segment(header)}.${segment(claims)}`;
  return `${signed}.${toBase64Url(sign(Buffer.from(signed)))}`;
}

export type ReadJwt = { claims: Members; signed: Buffer; signature: Uint8Array };

function objectIn(text: string): Members | undefined {
  const bytes = fromBase64Url(text);
  const parsed = bytes && parseJson(bytes, LIMITS);
  return parsed && 'value' in parsed && isObject(parsed.value) ? parsed.value : undefined;
}

/** Undefined if the text is no JWT with the header of ES256. The signature is not verified. */
export function readJwt(text: string): ReadJwt | undefined {
  if (text.length > LONGEST) return undefined;
  const [head, payload, signature, ...more] = text.split('.');
  if (head === undefined || payload === undefined || signature === undefined || more.length > 0) return undefined;
  const header = objectIn(head);
  const claims = objectIn(payload);
  const bytes = fromBase64Url(signature);
  if (header?.alg !== 'ES256' || header.typ !== 'JWT' || claims === undefined || bytes?.length !== 64) return undefined;
  return { claims, signed: Buffer.from(`${head}.${payload}`), signature: bytes };
}
