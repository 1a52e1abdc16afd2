import type { Ingress, IngressOptions } from './types.ts';

export async function startIngress(_options: IngressOptions): Promise<Ingress> {
  throw new Error('in work');
}
