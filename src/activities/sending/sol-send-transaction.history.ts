import { z } from 'zod';
import type { SolanaRequest } from '../../chain-io/sends/solana/read.ts';
import { v1 } from '../../engine/activity/versions.ts';
import { SolanaCaip2 } from '../../wire/sending.ts';

/** A transaction has at most 1232 bytes. */
const Transaction = z.string().min(1).max(4_000);
/** An address: the keys of transactions are not named by their ids. */
const SignWith = z.string().min(32, 'must be a Solana address').max(44, 'must be a Solana address');
const Blockhash = z.string().min(32, 'must be a blockhash in base58').max(44, 'must be a blockhash in base58');

const fields = {
  sponsor: z.boolean().optional(),
  caip2: SolanaCaip2,
  recentBlockhash: Blockhash.optional(),
};

const P1 = z.object({ unsignedTransaction: Transaction, signWith: SignWith, ...fields });
const P2 = z.object({ unsignedTransaction: Transaction, signWiths: z.array(SignWith).min(1).max(16), ...fields });

/** Version 1 is kept separately, so that its errors name its own field. */
export const params = v1(P1).toBreak(2, P2, ({ signWith, ...rest }): z.output<typeof P2> & SolanaRequest => ({
  ...rest,
  signWiths: [signWith],
  single: true,
}));
