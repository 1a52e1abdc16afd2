import { ComputeBudgetProgram, PublicKey, SystemProgram, Transaction } from '@solana/web3.js';
import { ID, type Samples } from '../../support/samples.ts';

/** All is given, so that no node is asked. */
const transaction = {
  from: '0x0000000000000000000000000000000000000001',
  caip2: 'eip155:31337',
  nonce: '0',
  gasLimit: '21000',
  maxFeePerGas: '2000000000',
  maxPriorityFeePerGas: '1',
};
const call = { to: '0x2222222222222222222222222222222222222222', value: '1', data: '0x' };

const SOLANA = '9aE476sH92Vz7DMPyq5WLPkrKWivxeuTKEFKd2sZZcde';

/** Hex of a Solana transaction in which all is given. */
export function givenTransfer(from: string): string {
  const fromPubkey = new PublicKey(from);
  const unsigned = new Transaction({ feePayer: fromPubkey, blockhash: SOLANA, lastValidBlockHeight: 0 });
  unsigned.add(ComputeBudgetProgram.setComputeUnitLimit({ units: 1000 }));
  unsigned.add(SystemProgram.transfer({ fromPubkey, toPubkey: new PublicKey(SOLANA), lamports: 1 }));
  return unsigned.serialize({ requireAllSignatures: false, verifySignatures: false }).toString('hex');
}

/** Well-formed parameters of each operation's newest version, and of older ones. */
export const sending: Samples = {
  ACTIVITY_TYPE_ETH_SEND_TRANSACTION: () => ({ ...transaction, ...call }),
  ETH_SEND_TRANSACTION: () => ({ ...transaction, calls: [call] }),
  ETH_SEND_RAW_TRANSACTION: () => ({
    signedTransaction:
      '0x02f868827a69800184773594008252089422222222222222222222222222222222222222220180c001a047f4bd8dc5bb712a0addd557468f07788cacab68b8e35ef57b7199552cce003ba03b0bf22eca86af6938c6bd7d8bf15bb4264a9cbdbaf8833aebdba3a6b08cbe99',
    caip2: 'eip155:31337',
  }),
  ETH_UNDELEGATE_7702: () => transaction,
  ACTIVITY_TYPE_SOL_SEND_TRANSACTION: () => ({
    unsignedTransaction: givenTransfer(SOLANA),
    signWith: SOLANA,
    caip2: 'solana:devnet',
  }),
  SOL_SEND_TRANSACTION: () => ({ unsignedTransaction: givenTransfer(SOLANA), signWiths: [SOLANA], caip2: 'solana:devnet' }),
  COUNTERSIGN_CANCEL_SEND: () => ({ sendTransactionStatusId: ID, reason: 'The recipient is wrong' }),
  COUNTERSIGN_SPEED_UP_SEND: () => ({ sendTransactionStatusId: ID, reason: 'The network is busy' }),
};
