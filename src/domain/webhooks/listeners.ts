import type { Writer } from '../../store/types.ts';

type Listening = Pick<Writer, 'organizations'>;

/** The listeners of top-level organizations, as each transaction saw them: it may have many events of one. */
const seen = new WeakMap<Listening, Map<string, Promise<number>>>();

/** The event types that endpoints of a top-level organization want. Each transaction asks once. */
export function listenersOf(tx: Listening, payerId: string): Promise<number> {
  const known = seen.get(tx) ?? new Map<string, Promise<number>>();
  seen.set(tx, known);
  const listeners = known.get(payerId) ?? tx.organizations.listeners(payerId);
  known.set(payerId, listeners);
  return listeners;
}
