import { z } from 'zod';
import { nearest } from '../base/nearest.ts';
import { STATUSES } from '../model/activity.ts';
import { refusal } from './common.ts';

/** One of the given names. The error lists them and suggests the likely one. */
export function oneOf<const Names extends readonly string[]>(what: string, names: Names, missing = `invalid ${what}`) {
  return z.enum(names, {
    error: ({ input }) => {
      const allowed = `must be ${names.length === 1 ? '' : 'one of '}${names.join(', ')}`;
      if (input === undefined) return `${missing}: ${allowed}`;
      const meant = typeof input === 'string' ? nearest(input, names) : undefined;
      return `invalid ${what}: ${allowed}${meant === undefined ? '' : `; did you mean ${meant}?`}`;
    },
  });
}

export const Curve = oneOf('curve', ['CURVE_SECP256K1', 'CURVE_ED25519', 'CURVE_P256'], 'curve required');

export const PathFormat = oneOf('path format', ['PATH_FORMAT_BIP32']);

const bitcoin = ['MAINNET', 'TESTNET', 'SIGNET', 'REGTEST'].flatMap((network) =>
  ['P2PKH', 'P2SH', 'P2WPKH', 'P2WSH', 'P2TR'].map((script) => `ADDRESS_FORMAT_BITCOIN_${network}_${script}` as const),
);

export const AddressFormat = oneOf('address format', [
  ...(['UNCOMPRESSED', 'COMPRESSED', 'ETHEREUM', 'SOLANA', 'COSMOS', 'TRON', 'SUI', 'APTOS'] as const).map(
    (name) => `ADDRESS_FORMAT_${name}` as const,
  ),
  ...bitcoin,
  ...(
    [
      'SEI',
      'XLM',
      'DOGE_MAINNET',
      'DOGE_TESTNET',
      'TON_V3R2',
      'TON_V4R2',
      'TON_V5R1',
      'XRP',
      'SPARK_MAINNET',
      'SPARK_REGTEST',
    ] as const
  ).map((name) => `ADDRESS_FORMAT_${name}` as const),
]);

export const PayloadEncoding = oneOf('payload encoding', [
  'PAYLOAD_ENCODING_HEXADECIMAL',
  'PAYLOAD_ENCODING_TEXT_UTF8',
  'PAYLOAD_ENCODING_EIP712',
  'PAYLOAD_ENCODING_EIP7702_AUTHORIZATION',
]);

export const HashFunction = oneOf('hash function', [
  'HASH_FUNCTION_NO_OP',
  'HASH_FUNCTION_SHA256',
  'HASH_FUNCTION_KECCAK256',
  'HASH_FUNCTION_NOT_APPLICABLE',
]);

const transactionTypes = ['ETHEREUM', 'SOLANA', 'TRON', 'BITCOIN', 'TEMPO'].map((chain) => `TRANSACTION_TYPE_${chain}`);

export const TransactionType = z
  .string('unsupported transaction type')
  .refine(
    (type) => transactionTypes.includes(type),
    refusal('UNSUPPORTED_TRANSACTION_TYPE', `unsupported transaction type: must be one of ${transactionTypes.join(', ')}`),
  )
  .meta({ enum: transactionTypes });

export const MnemonicLanguage = oneOf('mnemonic language', [
  'MNEMONIC_LANGUAGE_ENGLISH',
  'MNEMONIC_LANGUAGE_SIMPLIFIED_CHINESE',
  'MNEMONIC_LANGUAGE_TRADITIONAL_CHINESE',
  'MNEMONIC_LANGUAGE_CZECH',
  'MNEMONIC_LANGUAGE_FRENCH',
  'MNEMONIC_LANGUAGE_ITALIAN',
  'MNEMONIC_LANGUAGE_JAPANESE',
  'MNEMONIC_LANGUAGE_KOREAN',
  'MNEMONIC_LANGUAGE_SPANISH',
]);

export const ApiKeyCurve = oneOf('curve', ['API_KEY_CURVE_P256', 'API_KEY_CURVE_SECP256K1', 'API_KEY_CURVE_ED25519']);

export const AuthenticatorTransport = oneOf('authenticator transport', [
  'AUTHENTICATOR_TRANSPORT_BLE',
  'AUTHENTICATOR_TRANSPORT_INTERNAL',
  'AUTHENTICATOR_TRANSPORT_NFC',
  'AUTHENTICATOR_TRANSPORT_USB',
  'AUTHENTICATOR_TRANSPORT_HYBRID',
]);

export const AccessType = oneOf('access type', ['ACCESS_TYPE_WEB', 'ACCESS_TYPE_API', 'ACCESS_TYPE_ALL']);

export const ActivityStatusName = oneOf('activity status', STATUSES);
