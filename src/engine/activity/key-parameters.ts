import { z } from 'zod';
import type { ActivityKind } from './declare.ts';

/** Parameters of all kinds that name a wallet or a key. */
export const KEY_PARAMETERS = [
  'walletId',
  'walletIds',
  'privateKeyId',
  'privateKeyIds',
  'walletAccountId',
  'walletAccountIds',
  'address',
] as const;

/** Whether an activity of the kind signs with a key, or may name one. */
export function namesKey({ takes, params }: Pick<ActivityKind, 'takes' | 'params'>): boolean {
  if (takes !== undefined) return true;
  const newest = params.schema(params.numbers.at(-1)!);
  return newest instanceof z.ZodObject && KEY_PARAMETERS.some((name) => name in newest.shape);
}
