import { bech32, bech32m } from '@scure/base';
import { hash160 } from '../../crypto/hash.ts';
import { tapTweakPublicKey } from '../../crypto/points.ts';
import type { AddressFormat } from '../shared/address-format.ts';
import { toBase58check } from '../shared/base58check.ts';
import { asWritten, bech32Case } from '../shared/normalize.ts';
import { checkSigScript, scriptHash, witnessKeyScript, witnessScriptHash } from './scripts.ts';

export type Network = {
  /** As in ADDRESS_FORMAT_<name>_… */
  name: string;
  /** Version bytes of P2PKH and P2SH addresses. */
  p2pkh: number;
  p2sh: number;
  /** Human-readable part of segwit addresses (BIP-173; BIP-325 keeps testnet's for signet). */
  hrp: string;
};

export const networks: readonly Network[] = [
  { name: 'BITCOIN_MAINNET', p2pkh: 0x00, p2sh: 0x05, hrp: 'bc' },
  { name: 'BITCOIN_TESTNET', p2pkh: 0x6f, p2sh: 0xc4, hrp: 'tb' },
  { name: 'BITCOIN_SIGNET', p2pkh: 0x6f, p2sh: 0xc4, hrp: 'tb' },
  { name: 'BITCOIN_REGTEST', p2pkh: 0x6f, p2sh: 0xc4, hrp: 'bcrt' },
];

/** The address of a witness program. Version 0 is bech32 (BIP-173), versions 1 to 16 are bech32m (BIP-350). */
export function segwit(hrp: string, version: number, program: Uint8Array): string {
  const codec = version === 0 ? bech32 : bech32m;
  return codec.encode(hrp, [version, ...codec.toWords(program)]);
}

type Kind = {
  name: string;
  signature: 'ecdsa' | 'bip341';
  segwit: boolean;
  encode(publicKey: Uint8Array, network: Network): string;
};

const kinds: readonly Kind[] = [
  {
    name: 'P2PKH',
    signature: 'ecdsa',
    segwit: false,
    encode: (publicKey, { p2pkh }) => toBase58check(p2pkh, hash160(publicKey)),
  },
  {
    // P2WPKH inside P2SH (BIP-49).
    name: 'P2SH',
    signature: 'ecdsa',
    segwit: false,
    encode: (publicKey, { p2sh }) => toBase58check(p2sh, scriptHash(witnessKeyScript(publicKey))),
  },
  {
    name: 'P2WPKH',
    signature: 'ecdsa',
    segwit: true,
    encode: (publicKey, { hrp }) => segwit(hrp, 0, hash160(publicKey)),
  },
  {
    name: 'P2WSH',
    signature: 'ecdsa',
    segwit: true,
    encode: (publicKey, { hrp }) => segwit(hrp, 0, witnessScriptHash(checkSigScript(publicKey))),
  },
  {
    // Key path only (BIP-86).
    name: 'P2TR',
    signature: 'bip341',
    segwit: true,
    encode: (publicKey, { hrp }) => segwit(hrp, 1, tapTweakPublicKey(publicKey)),
  },
];

/** Every kind on every network, with compressed keys only. */
export const bitcoinAddresses: readonly AddressFormat[] = networks.flatMap((network) =>
  kinds.map(({ name, signature, encode, ...kind }) => ({
    name: `ADDRESS_FORMAT_${network.name}_${name}`,
    curves: ['CURVE_SECP256K1'] as const,
    signature,
    caip2Prefix: 'bip122',
    encode: (publicKey: Uint8Array) => encode(publicKey, network),
    normalize: kind.segwit ? bech32Case(network.hrp) : asWritten,
  })),
);

/** Dogecoin: only P2PKH is supported (version bytes of Dogecoin Core's chainparams). */
export const dogecoinAddresses: readonly AddressFormat[] = [
  { name: 'DOGE_MAINNET', version: 0x1e },
  { name: 'DOGE_TESTNET', version: 0x71 },
].map(({ name, version }) => ({
  name: `ADDRESS_FORMAT_${name}`,
  curves: ['CURVE_SECP256K1'] as const,
  signature: 'ecdsa' as const,
  caip2Prefix: 'bip122',
  encode: (publicKey: Uint8Array) => toBase58check(version, hash160(publicKey)),
  normalize: asWritten,
}));
