import type { OwnForm } from '../../policy/index.ts';

/**
 * The meaning of a Bitcoin address, the same on every network: a witness program (BIP-173, BIP-350) or a hash (Base58Check). A
 * transaction names no network, so one script has several addresses. Checksums are not checked.
 */
function scriptKey(text: string): string | undefined {
  if (text.length > LONGEST_ADDRESS) return undefined;
  const witness = WITNESS.exec(text);
  if (witness) return `witness ${witness[1]!.toLowerCase()}`;
  return BASE58.test(text) ? hashOf(text) || undefined : undefined;
}

const LONGEST_ADDRESS = 90;

/** Captures the data between the human-readable part, which names the network, and the six-character checksum. */
const WITNESS = /^(?:bc|tb|bcrt)1([02-9ac-hj-np-z]+)[02-9ac-hj-np-z]{6}$/i;
const BASE58 = /^[1-9A-HJ-NP-Za-km-z]{26,35}$/;
const VALUES = new Map([...'123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'].map((digit, value) => [digit, value]));

/** The most digits that a number holds exactly. */
const CHUNK = 9;
const POWERS = Array.from({ length: CHUNK + 1 }, (_, n) => 58n ** BigInt(n));

/** Version bytes by kind: mainnet, then the others. */
const KINDS = new Map([
  ['00', 'public key hash'],
  ['6f', 'public key hash'],
  ['05', 'script hash'],
  ['c4', 'script hash'],
]);

const KEPT = 16_384;
const hashes = new Map<string, string>();

/** Cached, because decoding an address takes microseconds. Empty if it is no address. */
function hashOf(text: string): string {
  const known = hashes.get(text);
  if (known !== undefined) return known;
  const bytes = fromBase58(text);
  const kind = bytes && KINDS.get(bytes.slice(0, 2));
  const hash = kind ? `${kind} ${bytes.slice(2, 42)}` : '';
  // More than any transaction has outputs. Cleared entries are computed again.
  if (hashes.size >= KEPT) hashes.clear();
  // Copied, because a slice keeps its parent string alive.
  hashes.set(text.split('').join(''), hash);
  return hash;
}

/** Hex of version, hash and checksum; undefined if they are not 25 bytes. */
function fromBase58(text: string): string | undefined {
  let number = 0n;
  for (let at = 0; at < text.length; at += CHUNK) {
    const part = text.slice(at, at + CHUNK);
    let value = 0;
    for (const digit of part) value = value * 58 + VALUES.get(digit)!;
    number = number * POWERS[part.length]! + BigInt(value);
  }
  const zeros = /^1*/.exec(text)![0].length;
  const digits = number === 0n ? '' : number.toString(16);
  const hex = '00'.repeat(zeros) + (digits.length % 2 === 0 ? digits : `0${digits}`);
  return hex.length === 50 ? hex : undefined;
}

/** Policies compare these addresses by their script, whatever the network. */
export const bitcoinAddress: OwnForm = { name: 'bitcoin_address', key: scriptKey, longest: LONGEST_ADDRESS, steps: 9 };
