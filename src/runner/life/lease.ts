import { setTimeout as wait } from 'node:timers/promises';
import { until } from '../../outbound/until.ts';
import type { Place } from '../service/service.ts';

/** A deployment that this runner has. */
export class Lease {
  readonly place: Place;
  isLive: boolean;
  readonly #lost = new AbortController();
  #lapse = new AbortController();
  #regained = Promise.withResolvers<void>();
  #heldUntil: number;

  constructor(place: Place, isLive: boolean, heldUntil: number) {
    this.place = place;
    this.isLive = isLive;
    this.#heldUntil = heldUntil;
  }

  /** Aborts once the lease is lost for good. Its reason tells the owner why. */
  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  /** Aborts before another runner can have the lease. After a renewal there is a new one. */
  get lapse(): AbortSignal {
    return this.#lapse.signal;
  }

  lose(reason: string): void {
    this.#lost.abort(reason);
  }

  renew(heldUntil: number, isLive: boolean): void {
    this.#heldUntil = heldUntil;
    this.isLive = isLive;
    if (!this.#lapse.signal.aborted) return;
    this.#lapse = new AbortController();
    this.#regained.resolve();
    this.#regained = Promise.withResolvers();
  }

  /** `before`: the time that it takes to stop an app. */
  check(now: number, before: number): void {
    if (now >= this.#heldUntil - before) this.#lapse.abort('The service is silent, so another runner may have it soon.');
  }

  /** Waits while another runner may have the lease. Throws once it is lost. */
  async held(): Promise<void> {
    while (this.#lapse.signal.aborted) await until(this.lost, this.#regained.promise);
    this.lost.throwIfAborted();
  }

  /** Rests. Throws once the lease is lost. */
  async rest(ms: number): Promise<void> {
    this.lost.throwIfAborted();
    await wait(ms, undefined, { signal: this.lost });
  }
}
