import { z } from 'zod';
import { parseCaip2 } from '../model/caip2.ts';

/** The form of a name that a refusal may repeat. No other text is repeated in it. */
const CAIP2 = /^[-a-z0-9]{3,8}:[-_a-zA-Z0-9]{1,44}$/;

/** The message about a name that is no network which could be served. */
export function notNetwork(text: string, example: string): string {
  const such = `the CAIP-2 name of a network, such as ${example}`;
  return CAIP2.test(text) ? `must be ${such}: this service cannot serve ${text}` : `must be ${such}`;
}

/** A network, by the namespace and reference of CAIP-2. The operation checks whether it is served. */
const networkOf = (kind: 'eip155' | 'solana', example: string) =>
  z
    .string()
    .max(80)
    .refine((text) => parseCaip2(text)?.kind === kind, { error: ({ input }) => notNetwork(String(input), example) });

export const EvmCaip2 = networkOf('eip155', 'eip155:1');
export const SolanaCaip2 = networkOf('solana', 'solana:mainnet');

/** A network of any kind. */
export const Caip2 = z
  .string()
  .max(80)
  .refine((text) => parseCaip2(text) !== undefined, { error: ({ input }) => notNetwork(String(input), 'eip155:1') });

/** The result of an activity that sends without waiting: call `get_send_transaction_status` with it. */
export const SendResult = z.object({ sendTransactionStatusId: z.string() });
