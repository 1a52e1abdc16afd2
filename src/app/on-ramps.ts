import type { Engine } from '../engine/engine.ts';
import type { OnRampPort } from '../engine/ports.ts';
import { onRampPort } from '../on-ramp/port.ts';
import { isPublic } from '../outbound/addresses.ts';
import { guardedCalls, PROVIDER_BOUNDS } from '../outbound/guard.ts';
import type { Ground } from './ground.ts';

/** How organizations ask the on-ramp providers at which they have keys. */
export function openOnRamps(
  { config, machine, random }: Ground,
  { store, clock, vault }: Pick<Engine, 'store' | 'clock' | 'vault'>,
): OnRampPort {
  const { urls, sendClientIp } = config.onRamps;
  return onRampPort({
    calls: guardedCalls({ allowed: config.outboundAllow, bounds: PROVIDER_BOUNDS }),
    urls,
    signing: vault.onRamp,
    store,
    clock,
    machine,
    random,
    sendAddress: (address) => (sendClientIp && address !== undefined && isPublic(address) ? address : undefined),
  });
}
