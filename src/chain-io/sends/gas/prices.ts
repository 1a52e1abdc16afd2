import type { Clock } from '../../../base/clock.ts';
import { Unreachable } from '../../../base/errors.ts';
import { isObject, parseJson } from '../../../base/json.ts';
import { parseCaip2 } from '../../../model/caip2.ts';
import { parsePrice } from '../../../model/gas.ts';
import { type Calls, OutboundError } from '../../../outbound/types.ts';
import type { Log } from '../../nodes/types.ts';

/** USD × 10^18 for one coin of a network, by its canonical name. */
export type GasPrices = {
  /** Undefined if there is no price for the network. Throws `Unreachable` if no price is fresh, and the source does not answer. */
  of(caip2: string): Promise<bigint | undefined>;
};

type Settings = { fixed: ReadonlyMap<string, bigint>; url: string | undefined; maxAgeMs: number };

/** `machine`: for the times that the source gives. */
type Parts = { settings: Settings; calls: Calls; elapsed: Clock; machine: Clock; log: Log };

/** Prices older than this are fetched anew at the next send. */
const REFRESH_MS = 60_000;

/** How long to leave a source alone after it failed. */
const REST_MS = 2000;

const MOST_NETWORKS = 1000;

/** The source belongs to the operator: one place is enough. */
const PAYER = 'prices';

type Read = { prices: ReadonlyMap<string, bigint>; asOf: number | undefined };

/** Throws an OutboundError that names the fault of the answer. Unknown networks and invalid prices are left out. */
export function readPrices(body: Buffer): Read {
  const parsed = parseJson(body, { depth: 4, keys: MOST_NETWORKS + 10 });
  const value = 'value' in parsed ? parsed.value : undefined;
  if (!isObject(value) || !isObject(value.prices))
    throw new OutboundError('its answer is not {"prices": {"eip155:1": "3000.50", …}}', { mayPass: true });
  const asOf = typeof value.asOf === 'string' ? Date.parse(value.asOf) : undefined;
  if (Number.isNaN(asOf) || (value.asOf !== undefined && asOf === undefined))
    throw new OutboundError('"asOf" in its answer is not a time such as 2026-01-31T12:00:00Z', { mayPass: true });
  const prices = new Map<string, bigint>();
  for (const [name, price] of Object.entries(value.prices)) {
    const caip2 = parseCaip2(name)?.caip2;
    const usdE18 = typeof price === 'string' || typeof price === 'number' ? parsePrice(String(price)) : undefined;
    if (caip2 !== undefined && usdE18 !== undefined) prices.set(caip2, usdE18);
  }
  return { prices, asOf };
}

export function gasPrices({ settings, calls, elapsed, machine, log }: Parts): GasPrices {
  const { fixed, url, maxAgeMs } = settings;
  /** `since`: by `elapsed`, when they were right. */
  let known: { prices: ReadonlyMap<string, bigint>; since: number } | undefined;
  let askedAt = Number.NEGATIVE_INFINITY;
  let asking: Promise<void> | undefined;
  let problem = '';

  async function ask(from: string): Promise<void> {
    const begun = elapsed.now();
    try {
      const { status, body } = await calls(from, { payer: PAYER }, (call) =>
        call({ method: 'GET', path: '', headers: { accept: 'application/json' } }),
      );
      if (status !== 200) throw new OutboundError(`it answered with status ${status}`, { mayPass: true });
      const { prices, asOf } = readPrices(body);
      const age = asOf === undefined ? 0 : Math.max(0, machine.now() - asOf);
      known = { prices, since: begun - age };
      problem = `its prices are ${Math.round(age / 1000)} seconds old`;
    } catch (error) {
      problem = error instanceof OutboundError ? error.message : 'it could not be called';
      log.warn({ host: new URL(from).host }, `the source of gas prices failed: ${problem}`);
    }
  }

  /** Callers that ask together wait for one answer. */
  function refresh(from: string): Promise<void> {
    if (elapsed.now() - askedAt < REST_MS && asking === undefined) return Promise.resolve();
    asking ??= ask(from).finally(() => {
      askedAt = elapsed.now();
      asking = undefined;
    });
    return asking;
  }

  const ageOf = () => (known === undefined ? Number.POSITIVE_INFINITY : elapsed.now() - known.since);

  return {
    async of(caip2) {
      const given = fixed.get(caip2);
      if (given !== undefined || url === undefined) return given;
      if (ageOf() >= maxAgeMs) await refresh(url);
      else if (elapsed.now() - askedAt >= REFRESH_MS) void refresh(url);
      if (ageOf() >= maxAgeMs)
        throw new Unreachable(
          `gas is sponsored only at a price that is at most ${maxAgeMs / 1000} seconds old, and none is known: ${new URL(url).host}: ${problem}`,
        );
      return known!.prices.get(caip2);
    },
  };
}
