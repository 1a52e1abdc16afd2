import { envelope } from '../custody/envelope.ts';
import { type KeyRing, keyRing } from '../custody/key-ring.ts';
import { checkProvider, newMasterKey } from '../custody/masters.ts';
import type { ServiceKeys } from '../custody/service-keys.ts';
import type { RootKey } from '../custody/types.ts';
import { vault } from '../custody/vault.ts';
import type { Engine } from '../engine/engine.ts';
import { type OwnIssuer, ownIssuer } from '../login/tokens/own-issuer.ts';
import { type FirstStart, firstStart, firstStartWarnings } from './first-start.ts';
import type { Ground } from './ground.ts';
import type { Database, TimedDatabase } from './open-database.ts';
import { keepSwitch, mayRecover } from './recovery-switch.ts';
import { credentialsFile } from './root-credentials.ts';
import { rootKeyOf, rootKeyWarning } from './root-key.ts';
import { openPaymaster, openRateKey, openServiceKeys } from './service-keys.ts';

export type Keys = {
  /** The root key of this process, and the master keys that it opened. */
  held: OpenRoot;
  /** What the first start made. */
  first: FirstStart;
  services: ServiceKeys;
  /** The service's own keys by name. A rotation seals them anew. */
  sealedKeys: Readonly<Record<string, { sealed: Buffer }>>;
  vault: Engine['vault'];
  /** Whether the operator may recover root users. */
  mayRecover(): Promise<boolean>;
  /** The issuer of this service's identity tokens. */
  own: OwnIssuer;
};

/** The root key, and the master keys that it opened. `wrapped`: the first master key, if the database has none so far. */
export type OpenRoot = { root: RootKey; ring: KeyRing; wrapped?: Buffer };

/**
 * Opens the master keys, or makes the first one, before anything is changed. A wrong root key stops the start, and the database stays as it
 * was. The provider may be another machine, for which no transaction waits.
 */
export async function openRoot({ config, random, log }: Ground, { database }: Database): Promise<OpenRoot> {
  const sealed = await database.masterKeys();
  checkProvider(config.rootKey.provider, sealed);
  const onCreated = (file: string) =>
    log.warn(
      { file },
      'a root key was created: this file and the database together give every key, and without it no key opens. Back it up apart from the database',
    );
  const root = await rootKeyOf(config.rootKey, { random, onCreated: sealed.length === 0 ? onCreated : undefined });
  const exposed = rootKeyWarning(config.rootKey);
  if (exposed !== undefined) log.warn({}, exposed);
  const held: OpenRoot = { root, ring: keyRing(() => held.root) };
  await held.ring.take(sealed);
  if (sealed.length === 0) held.wrapped = await newMasterKey(root, 1, random);
  return held;
}

/** The master keys, and the service's own keys under them. The first start makes them. */
export async function openKeys(ground: Ground, { store, clock, ids }: TimedDatabase, held: OpenRoot): Promise<Keys> {
  const { config, random, log } = ground;
  const { root, ring, wrapped } = held;
  const first = await firstStart({ config, store, root, wrapped, ids, random, now: clock.now() });
  for (const warning of firstStartWarnings(config, first)) log.warn({ file: credentialsFile(config) }, warning);
  await ring.take(await store.read.instance.masterKeys());
  const sealing = envelope(ring.keys, random, ring.states);
  const services = await openServiceKeys(store, sealing, random, clock.now());
  const recovery = { config, store, envelope: sealing };
  await keepSwitch(recovery, first.created, clock.now());
  const own = ownIssuer(config.baseUrl, services['identity-token-signer'].publicKey);
  const { paymaster, keys } = await openPaymaster(store, sealing, random, clock.now());
  const rateKey = await openRateKey(store, sealing, clock.now());
  return {
    held,
    first,
    services,
    vault: { ...vault(sealing, random, services, rateKey), paymaster },
    own,
    sealedKeys: { ...services, ...keys },
    mayRecover: () => mayRecover(recovery),
  };
}
