import { concat, utf8, zero } from '../base/bytes.ts';

/**
 * HPKE (RFC 9180) as clients use it: base mode, DHKEM(P-256, HKDF-SHA256), HKDF-SHA256, AES-256-GCM. There is one message per
 * encapsulation, and therefore sequence number 0. The labels and the order of the steps are here, for Node.js and browsers. The ciphers
 * are those of the platform.
 */
const KEM_SUITE = Uint8Array.of(...utf8('KEM'), 0x00, 0x10);
const HPKE_SUITE = Uint8Array.of(...utf8('HPKE'), 0x00, 0x10, 0x00, 0x01, 0x00, 0x02);
const VERSION = utf8('HPKE-v1');
const EMPTY = new Uint8Array(0);
/** mode_base (§5). */
const MODE = Uint8Array.of(0);

const SECRET = 32;
const KEY = 32;
const NONCE = 12;
/** The AES-GCM tag: the minimum length of a ciphertext. */
export const TAG = 16;

/** HKDF with SHA-256 (RFC 5869): the step Extract without a salt, and both steps. */
export type Kdf = {
  extract(ikm: Uint8Array): Uint8Array;
  derive(ikm: Uint8Array, salt: Uint8Array, info: Uint8Array, length: number): Uint8Array;
};

/** `enc` is the encapsulated key: 65 bytes, uncompressed. The ciphertext ends with the 16-byte tag. */
export type SealedMessage = { enc: Uint8Array; ciphertext: Uint8Array };

/** The clients' `info`. Both public keys, 65 bytes each, are the additional data. */
export const WIRE_INFO = utf8('turnkey_hpke');
export const wireAad = (enc: Uint8Array, recipient: Uint8Array): Uint8Array => concat([enc, recipient]);

/** The labeled input of LabeledExtract (§4). */
const labeledIkm = (suite: Uint8Array, label: string, ikm: Uint8Array) => concat([VERSION, suite, utf8(label), ikm]);

/** The labeled info of LabeledExpand (§4). */
const labeledInfo = (suite: Uint8Array, label: string, info: Uint8Array, length: number) =>
  concat([Uint8Array.of(0, length), VERSION, suite, utf8(label), info]);

/** The shared secret of the KEM (§4.1, ExtractAndExpand), which the caller wipes. Wipes `dh`. */
export function kemSecret({ derive }: Kdf, dh: Uint8Array, enc: Uint8Array, recipient: Uint8Array): Uint8Array {
  const ikm = labeledIkm(KEM_SUITE, 'eae_prk', dh);
  zero(dh);
  const secret = derive(ikm, EMPTY, labeledInfo(KEM_SUITE, 'shared_secret', concat([enc, recipient]), SECRET), SECRET);
  zero(ikm);
  return secret;
}

/** Key and nonce of the first message (§5.1 KeySchedule, §5.2), which the caller wipes. Wipes the shared secret. */
export function schedule(
  { extract, derive }: Kdf,
  sharedSecret: Uint8Array,
  info: Uint8Array,
): { key: Uint8Array; nonce: Uint8Array } {
  const hashed = (label: string, input: Uint8Array) => extract(labeledIkm(HPKE_SUITE, label, input));
  const context = concat([MODE, hashed('psk_id_hash', EMPTY), hashed('info_hash', info)]);
  const ikm = labeledIkm(HPKE_SUITE, 'secret', EMPTY);
  const expand = (label: string, length: number) =>
    derive(ikm, sharedSecret, labeledInfo(HPKE_SUITE, label, context, length), length);
  const key = expand('key', KEY);
  const nonce = expand('base_nonce', NONCE);
  zero(sharedSecret);
  return { key, nonce };
}
