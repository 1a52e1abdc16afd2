import { Lru } from '../../base/lru.ts';

const KEPT = 10_000;
const EXPECTED_MS = 60_000;

/**
 * Organizations whose records need an event, as far as this process knows. The write of a record decides: it refuses one without an
 * event where an endpoint listens. So this only saves a second write.
 */
export class Listening {
  /** Until when, by the organization's id. */
  readonly #until = new Lru<number>(KEPT);

  expected(organizationId: string, now: number): boolean {
    return (this.#until.get(organizationId) ?? 0) > now;
  }

  expect(organizationId: string, now: number): void {
    this.#until.set(organizationId, now + EXPECTED_MS);
  }
}
