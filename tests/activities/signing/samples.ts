import type { Samples } from '../../support/samples.ts';

const sign = {
  signWith: '0x0000000000000000000000000000000000000001',
  encoding: 'PAYLOAD_ENCODING_HEXADECIMAL',
  hashFunction: 'HASH_FUNCTION_KECCAK256',
};

/** Well-formed parameters of each operation's newest version. */
export const signing: Samples = {
  SIGN_TRANSACTION: () => ({ signWith: sign.signWith, unsignedTransaction: 'c0', type: 'TRANSACTION_TYPE_ETHEREUM' }),
  SIGN_RAW_PAYLOAD: () => ({ ...sign, payload: '00' }),
  SIGN_RAW_PAYLOADS: () => ({ ...sign, payloads: ['00'] }),
};
