import { setTimeout as wait } from 'node:timers/promises';
import { CallRefused, LeaseLost } from '../service/call.ts';
import type { Service, State } from '../service/service.ts';
import type { Lease } from './lease.ts';

const AGAIN_MS = 2_000;

/** Repeats a call while the service is silent. Loses the lease if the service says so. Throws once it is lost. */
export async function persistently<T>(lease: Lease, call: () => Promise<T>): Promise<T> {
  for (;;) {
    lease.lost.throwIfAborted();
    try {
      return await call();
    } catch (error) {
      if (error instanceof LeaseLost) lease.lose('Another runner has it, or it was deleted.');
      else if (error instanceof CallRefused) throw error;
      else await lease.rest(AGAIN_MS);
    }
  }
}

export type Report = (state: State, problem?: string) => void;

/** Reports the last state in the background. States that are superseded while the service is silent are not sent. */
export function reporter(service: Pick<Service, 'report'>, lease: Lease, publicKey: string): Report {
  let next: [State, string] | undefined;
  let isBusy = false;

  async function send(): Promise<void> {
    isBusy = true;
    while (next !== undefined && !lease.lost.aborted) {
      const [state, problem] = next;
      next = undefined;
      try {
        await service.report(lease.place, publicKey, state, problem);
      } catch (error) {
        if (error instanceof LeaseLost) lease.lose('Another runner has it, or it was deleted.');
        else if (!(error instanceof CallRefused)) {
          next ??= [state, problem];
          await wait(AGAIN_MS, undefined, { ref: false });
        }
      }
    }
    isBusy = false;
  }

  return (state, problem = '') => {
    next = [state, problem];
    if (!isBusy) void send();
  };
}
