/** The organization below the person's own that pages show, as the address names it. */
import { useSyncExternalStore } from 'react';

let viewed: string | undefined;
const listeners = new Set<() => void>();

/** Before the pages of an address are drawn. Undefined: the person's own. */
export function view(organizationId: string | undefined): void {
  if (viewed === organizationId) return;
  viewed = organizationId;
  for (const listener of listeners) listener();
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};

export const useViewed = (): string | undefined => useSyncExternalStore(subscribe, () => viewed);
