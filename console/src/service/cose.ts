/** Public keys of passkeys, each in its one encoding (RFC 9052 §7, RFC 8230 §4), as keys of WebCrypto. */
import { hexBytes, sameBytes, toBase64Url } from '../../../src/base/bytes.ts';

const EC2_X = hexBytes('a5010203262001215820');
const EC2_Y = hexBytes('225820');
const RSA_N = hexBytes('a40103033901002059');

const beginsWith = (bytes: Uint8Array, start: Uint8Array) => sameBytes(bytes.subarray(0, start.length), start);

function jwkOf(cose: Uint8Array): { jwk: JsonWebKey; algorithm: { name: string; namedCurve?: string; hash?: string } } {
  if (beginsWith(cose, EC2_X)) {
    const y = EC2_X.length + 32 + EC2_Y.length;
    const [x1, y1] = [cose.subarray(EC2_X.length, EC2_X.length + 32), cose.subarray(y)].map(toBase64Url);
    return { jwk: { kty: 'EC', crv: 'P-256', x: x1!, y: y1! }, algorithm: { name: 'ECDSA', namedCurve: 'P-256' } };
  }
  if (!beginsWith(cose, RSA_N)) throw new Error('not a key of a passkey');
  const start = RSA_N.length + 2;
  const end = start + ((cose[RSA_N.length]! << 8) | cose[RSA_N.length + 1]!);
  const [n, e] = [cose.subarray(start, end), cose.subarray(end + 2)].map(toBase64Url);
  return { jwk: { kty: 'RSA', n: n!, e: e! }, algorithm: { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' } };
}

/** Throws for anything else. */
export function passkeyKey(cose: Uint8Array): Promise<CryptoKey> {
  const { jwk, algorithm } = jwkOf(cose);
  return crypto.subtle.importKey('jwk', jwk, algorithm, false, ['verify']);
}
