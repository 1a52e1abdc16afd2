/** What the identity keys of Spark sign. */
import { concat, hexBytes, utf8, viewOf } from '../../base/bytes.ts';
import { sha256 } from '../hash.ts';

/** The value after its length in 8 bytes, big-endian. */
function sized(value: Uint8Array): Uint8Array {
  const length = new Uint8Array(8);
  viewOf(length).setBigUint64(0, BigInt(value.length));
  return concat([length, value]);
}

function sizedNumber(value: number): Uint8Array {
  const bytes = new Uint8Array(8);
  viewOf(bytes).setBigUint64(0, BigInt(value));
  return sized(bytes);
}

/** A tagged hash (BIP-340), of which the tag is a path. */
function structuredHash(tag: readonly string[], values: readonly Uint8Array[]): Uint8Array {
  const prefix = sha256(concat(tag.map((part) => sized(utf8(part)))));
  return sha256(concat([prefix, prefix, ...values]));
}

export type OperatorPackage = { operatorId: string; sealed: Uint8Array };

/** What the sender of a transfer signs. `transferId`: a UUID. */
export function transferDigest(transferId: string, packages: readonly OperatorPackage[]): Uint8Array {
  const entries = packages
    .map(({ operatorId, sealed }) => ({ key: utf8(operatorId), sealed }))
    .sort((a, b) => Buffer.compare(a.key, b.key))
    .flatMap(({ key, sealed }) => [sized(key), sized(sealed)]);
  const id = hexBytes(transferId.replaceAll('-', ''));
  return structuredHash(['spark', 'transfer', 'signing payload'], [sized(id), sizedNumber(packages.length), ...entries]);
}

/** What the sender of a leaf signs. */
export const leafDigest = (leafId: string, transferId: string, secretCipher: Uint8Array): Uint8Array =>
  sha256(concat([utf8(leafId), utf8(transferId), secretCipher]));
