import type { Clock } from '../base/clock.ts';
import type { Config } from '../config.ts';
import type { Engine } from '../engine/engine.ts';
import { SHIPPED_HEADER } from '../model/shipping.ts';
import { fileShipper } from '../outbound/record/file.ts';
import { otlpShipper } from '../outbound/record/otlp.ts';
import { syslogShipper } from '../outbound/record/syslog.ts';
import type { Shipper } from '../outbound/types.ts';
import type { ShipSettings } from '../settings/shipping.ts';
import { shipWorker } from '../workers/shipping/ship-worker.ts';
import type { SteppingWorker } from '../workers/stepping.ts';

type Parts = { config: Config; engine: Engine; elapsed: Clock; owner: string };

function shipperOf(ship: ShipSettings, instance: string): Shipper {
  if (ship.kind === 'file') return fileShipper(ship.path, JSON.stringify(SHIPPED_HEADER));
  return ship.kind === 'syslog' ? syslogShipper(ship, instance) : otlpShipper(ship, instance);
}

/** The worker that ships the record for auditors. Undefined: no setting names a receiver. */
export function openShipping({ config: { ship, baseUrl }, engine, elapsed, owner }: Parts): SteppingWorker | undefined {
  if (ship === undefined) return undefined;
  const { store, clock, log } = engine;
  return shipWorker({ engine, store, clock, elapsed, log, owner, shipper: shipperOf(ship, new URL(baseUrl).hostname) });
}
