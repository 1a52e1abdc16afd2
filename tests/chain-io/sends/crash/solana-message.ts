import {
  address,
  appendTransactionMessageInstruction,
  compileTransaction,
  createTransactionMessage,
  getTransactionEncoder,
  pipe,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
} from '@solana/kit';
import type { Mark } from './model.ts';

const SYSTEM = address('11111111111111111111111111111111');
/** Not a blockhash: the service chooses one. */
const NONE = { blockhash: '11111111111111111111111111111111' as never, lastValidBlockHeight: 0n };

/** The whole transaction that transfers money, with an empty place for the signature, in hex. */
export function transferOf(from: string, { to, value }: Mark): string {
  const data = Buffer.alloc(12);
  data.writeUInt32LE(2);
  data.writeBigUInt64LE(value, 4);
  const accounts = [
    { address: address(from), role: 3 },
    { address: address(to), role: 1 },
  ];
  const message = pipe(
    createTransactionMessage({ version: 'legacy' }),
    (m) => setTransactionMessageFeePayer(address(from), m),
    (m) => setTransactionMessageLifetimeUsingBlockhash(NONE, m),
    (m) => appendTransactionMessageInstruction({ programAddress: SYSTEM, accounts, data }, m),
  );
  return Buffer.from(getTransactionEncoder().encode(compileTransaction(message))).toString('hex');
}
