import { z } from 'zod';
import { parseCaip2 } from '../model/caip2.ts';

/** A network, by the namespace and reference of CAIP-2. Whether it is served, the operation says. */
const networkOf = (kind: 'eip155' | 'solana', example: string) =>
  z
    .string()
    .max(80)
    .refine((text) => parseCaip2(text)?.kind === kind, `must be the CAIP-2 name of a network, such as ${example}`);

export const EvmCaip2 = networkOf('eip155', 'eip155:1');
export const SolanaCaip2 = networkOf('solana', 'solana:mainnet');

/** The result of what sends, and waits for nothing: ask `get_send_transaction_status` with it. */
export const SendResult = z.object({ sendTransactionStatusId: z.string() });
