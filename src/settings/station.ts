import { isPrivateKey } from '../crypto/curves.ts';
import { parseCaip2 } from '../model/caip2.ts';
import type { Environment } from './names.ts';
import { ConfigError, secret } from './read.ts';

type Hex = `0x${string}`;

/** Contracts that replace the default ones, in lower case. */
export type StationAddresses = { station: Hex; delegate: Hex };

/** By the network's canonical name. `elsewhere`: for all other networks. */
export type StationSettings = { on: ReadonlyMap<string, StationAddresses>; elsewhere: StationAddresses | undefined };

const EVERYWHERE = 'eip155:*';
const ADDRESSES = /^(0x[0-9a-fA-F]{40})\/(0x[0-9a-fA-F]{40})$/;
const SHAPE =
  'such as eip155:1=0x1cBBD58E521e1133F09E2Ba207e3e75c4DB404D5/0x2a31eF110e4Cdb9C332aA1d8633510214299c48B: a network (eip155:* for all others), the address of its gas station and the address of its delegate';

export function stationSettings(env: Environment): StationSettings {
  const on = new Map<string, StationAddresses>();
  for (const entry of (env.GAS_STATIONS ?? '').split(',').map((one) => one.trim())) {
    if (entry === '') continue;
    const [name = '', text = ''] = entry.split('=');
    const network = parseCaip2(name);
    const caip2 = name === EVERYWHERE ? name : network?.kind === 'eip155' ? network.caip2 : undefined;
    const [, station, delegate] = ADDRESSES.exec(text) ?? [];
    if (caip2 === undefined || station === undefined || delegate === undefined)
      throw new ConfigError(`GAS_STATIONS must be entries ${SHAPE}; "${entry}" is not`);
    if (on.has(caip2)) throw new ConfigError(`GAS_STATIONS has ${caip2} twice`);
    on.set(caip2, { station: station.toLowerCase() as Hex, delegate: delegate.toLowerCase() as Hex });
  }
  const elsewhere = on.get(EVERYWHERE);
  on.delete(EVERYWHERE);
  return { on, elsewhere };
}

export function shownStations({ on, elsewhere }: StationSettings): Record<string, string> {
  const all = new Map(elsewhere ? [...on, [EVERYWHERE, elsewhere]] : on);
  return {
    DEPLOYER_KEY: '(read only by countersign chain)',
    GAS_STATIONS:
      [...all].map(([caip2, { station, delegate }]) => `${caip2}=${station}/${delegate}`).join(',') ||
      '(unset: the contracts of this project)',
  };
}

/**
 * The key of the account that pays for the deployment of the contracts. Only the command that deploys them reads it. Throws
 * ConfigError, without the setting's text.
 */
export function stationDeployer(env: Environment): Buffer | undefined {
  const text = secret(env, 'DEPLOYER_KEY')?.trim();
  if (text === undefined) return undefined;
  const digits = /^(?:0x)?([0-9a-fA-F]{64})$/.exec(text)?.[1];
  const key = digits === undefined ? undefined : Buffer.from(digits, 'hex');
  if (key === undefined || !isPrivateKey('CURVE_SECP256K1', key))
    throw new ConfigError('DEPLOYER_KEY must be a private key of secp256k1: 64 hex digits');
  return key;
}
