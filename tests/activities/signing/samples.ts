import { ID, type Samples } from '../../support/samples.ts';

const how = { encoding: 'PAYLOAD_ENCODING_HEXADECIMAL', hashFunction: 'HASH_FUNCTION_KECCAK256' };
const sign = { signWith: '0x0000000000000000000000000000000000000001', ...how };
const transaction = {
  unsignedTransaction: '0x02df018001018252089422222222222222222222222222222222222222220180c0',
  type: 'TRANSACTION_TYPE_ETHEREUM',
};

/** Well-formed parameters of each operation's newest version, and of older ones. */
export const signing: Samples = {
  ACTIVITY_TYPE_SIGN_TRANSACTION: () => ({ privateKeyId: ID, ...transaction }),
  SIGN_TRANSACTION: () => ({ signWith: sign.signWith, ...transaction }),
  ACTIVITY_TYPE_SIGN_RAW_PAYLOAD: () => ({ privateKeyId: ID, ...how, payload: '00' }),
  SIGN_RAW_PAYLOAD: () => ({ ...sign, payload: '00' }),
  SIGN_RAW_PAYLOADS: () => ({ ...sign, payloads: ['00'] }),
};
