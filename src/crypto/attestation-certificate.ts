import { asBuffer } from './buffers.ts';
import { sha256 } from './hash.ts';
import { p384PublicKey, signEs384 } from './p384.ts';

/**
 * The certificate in attestation documents (X.509, RFC 5280): readers expect one. It is signed by its own key, and the same for the
 * same key. Its fields prove nothing: the key is compared with the published one.
 */

const NAME = 'Software attestation without hardware';

const SEQUENCE = 0x30;
const SET = 0x31;
const INTEGER = 0x02;
const BIT_STRING = 0x03;
const OCTET_STRING = 0x04;
const UTF8_STRING = 0x0c;
const UTC_TIME = 0x17;
const GENERALIZED_TIME = 0x18;
const VERSION = 0xa0;
const EXTENSIONS = 0xa3;

/** Object identifiers with tag and length: id-at-commonName, id-ecPublicKey, secp384r1, ecdsa-with-SHA384, id-ce-keyUsage. */
const COMMON_NAME = Buffer.from('0603550403', 'hex');
const EC_PUBLIC_KEY = Buffer.from('06072a8648ce3d0201', 'hex');
const SECP384R1 = Buffer.from('06052b81040022', 'hex');
const ECDSA_SHA384 = Buffer.from('06082a8648ce3d040303', 'hex');
const KEY_USAGE = Buffer.from('0603551d0f', 'hex');
const TRUE = Buffer.from('0101ff', 'hex');
/** digitalSignature alone. */
const DIGITAL_SIGNATURE = Buffer.from('03020780', 'hex');

function der(tag: number, ...parts: Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const head = length < 0x80 ? [tag, length] : length < 0x100 ? [tag, 0x81, length] : [tag, 0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from(head), content]);
}

/** A positive integer, big-endian. */
function integer(bytes: Uint8Array): Buffer {
  const from = bytes.findIndex((byte) => byte !== 0);
  const digits = bytes.subarray(from);
  return der(INTEGER, digits[0]! >= 0x80 ? Buffer.of(0) : Buffer.of(), digits);
}

const bits = (content: Uint8Array): Buffer => der(BIT_STRING, Buffer.of(0), content);

/** In DER. */
export function attestationCertificate(privateKey: Uint8Array): Buffer {
  const publicKey = p384PublicKey(privateKey);
  const algorithm = der(SEQUENCE, ECDSA_SHA384);
  const name = der(SEQUENCE, der(SET, der(SEQUENCE, COMMON_NAME, der(UTF8_STRING, Buffer.from(NAME)))));
  const tbs = der(
    SEQUENCE,
    der(VERSION, integer(Buffer.of(2))),
    integer(asBuffer(sha256(publicKey)).subarray(0, 16)),
    algorithm,
    name,
    // RFC 5280 §4.1.2.5: no well-defined expiration.
    der(SEQUENCE, der(UTC_TIME, Buffer.from('000101000000Z')), der(GENERALIZED_TIME, Buffer.from('99991231235959Z'))),
    name,
    der(SEQUENCE, der(SEQUENCE, EC_PUBLIC_KEY, SECP384R1), bits(publicKey)),
    der(EXTENSIONS, der(SEQUENCE, der(SEQUENCE, KEY_USAGE, TRUE, der(OCTET_STRING, DIGITAL_SIGNATURE)))),
  );
  const signature = signEs384(tbs, privateKey);
  const encoded = der(SEQUENCE, integer(signature.subarray(0, 48)), integer(signature.subarray(48)));
  return der(SEQUENCE, tbs, algorithm, bits(encoded));
}
