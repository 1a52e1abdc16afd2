import { Unreachable } from '../../base/errors.ts';
import type { NoNodeError } from '../nodes/types.ts';

/** The client's error for a network that cannot be asked. An RPC URL of another network does not recover without the operator. */
export function asUnreachable({ caip2, isOfAnother }: NoNodeError): Unreachable {
  if (!isOfAnother) return new Unreachable(`no RPC endpoint of ${caip2} answers now`);
  return new Unreachable(
    `every RPC endpoint of ${caip2} belongs to another network`,
    'the operator of this service must correct its RPC URL; then send the same body again',
  );
}
