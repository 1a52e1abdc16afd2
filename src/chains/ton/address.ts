import { concat, fromBase64Url, hexBytes, toBase64Url } from '../../base/bytes.ts';
import type { AddressFormat } from '../shared/address-format.ts';
import { crc16 } from '../shared/crc16.ts';
import { bitsOf, type CellRef, cell, uint } from './cell.ts';

type WalletContract = {
  name: string;
  /** The root cell of the contract's code: its hash and depth. */
  code: CellRef;
  /** The contract's first data, as bits. */
  data(publicKey: string): string;
};

const code = (hash: string, depth: number): CellRef => ({ hash: hexBytes(hash), depth });

/** The reference wallets' id in workchain 0. */
const WALLET_ID = uint(698983191, 32);
/** Version 5: mainnet's global id −239 XOR the context (1 bit client, workchain 0, version 0, subwallet 0). */
const WALLET_ID_V5 = uint((-239 ^ 0x80000000) >>> 0, 32);
const SEQNO = uint(0, 32);
const NONE = '0';

/** The wallet contracts by their published code (github.com/ton-blockchain: ton, wallet-contract, wallet-contract-v5). */
const contracts: readonly WalletContract[] = [
  {
    name: 'ADDRESS_FORMAT_TON_V3R2',
    code: code('84dafa449f98a6987789ba232358072bc0f76dc4524002a5d0918b9a75d2d599', 0),
    data: (publicKey) => SEQNO + WALLET_ID + publicKey,
  },
  {
    name: 'ADDRESS_FORMAT_TON_V4R2',
    code: code('feb5ff6820e2ff0d9483e7e0d62c817d846789fb4ae580c878866d959dabd5c0', 7),
    // No plugins.
    data: (publicKey) => SEQNO + WALLET_ID + publicKey + NONE,
  },
  {
    name: 'ADDRESS_FORMAT_TON_V5R1',
    code: code('20834b7b72b112147e1b2fb457b84e74d1a30f04f737d4f62a668e9552d2b72f', 6),
    // Signatures are allowed; no extensions.
    data: (publicKey) => `1${SEQNO}${WALLET_ID_V5}${publicKey}${NONE}`,
  },
];

/** Hash of StateInit with code and data, without split depth, special and libraries (block.tlb): the account. */
function account({ code, data }: WalletContract, publicKey: Uint8Array): Uint8Array {
  return cell('00110', [code, cell(data(bitsOf(publicKey)))]).hash;
}

/** Flags of a user-friendly address (TEP-2). */
const NON_BOUNCEABLE = 0x51;
const BOUNCEABLE = 0x11;
const TESTNET = 0x80;

/** The url-safe, non-bounceable form (UQ…): base64url of flags ‖ workchain ‖ account ‖ CRC-16. */
function friendly(workchain: number, hash: Uint8Array): string {
  const body = concat([Uint8Array.of(NON_BOUNCEABLE, workchain & 0xff), hash]);
  const checksum = crc16(body);
  return toBase64Url(concat([body, Uint8Array.of(checksum >> 8, checksum & 0xff)]));
}

const RAW = /^(0|-1):([0-9a-fA-F]{64})$/;
const FRIENDLY = /^[A-Za-z0-9_\-+/]{48}$/;

/** Converts any form of an address (raw; bounceable or not; either base64; testnet's flag) to the stored form. */
function normalize(text: string): string {
  const [, workchain, hash] = RAW.exec(text) ?? [];
  if (workchain !== undefined && hash !== undefined) return friendly(Number(workchain), hexBytes(hash));
  if (!FRIENDLY.test(text)) return text;
  const bytes = fromBase64Url(text.replaceAll('+', '-').replaceAll('/', '_'))!;
  const flags = bytes[0]! & ~TESTNET;
  if (flags !== BOUNCEABLE && flags !== NON_BOUNCEABLE) return text;
  return crc16(bytes) === 0 ? friendly(bytes[1]!, bytes.subarray(2, 34)) : text;
}

/** Wallet contracts in workchain 0. */
export const tonAddresses: readonly AddressFormat[] = contracts.map((contract) => ({
  name: contract.name,
  curves: ['CURVE_ED25519'] as const,
  signature: 'ed25519' as const,
  encode: (publicKey: Uint8Array) => friendly(0, account(contract, publicKey)),
  normalize,
}));
