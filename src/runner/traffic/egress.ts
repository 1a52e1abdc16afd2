import type { Egress, EgressOptions } from './types.ts';

export async function startEgress(_options: EgressOptions): Promise<Egress> {
  throw new Error('in work');
}
