import { envelope } from '../custody/envelope.ts';
import { checkProvider, openMasterKeys } from '../custody/masters.ts';
import type { ServiceKeys } from '../custody/service-keys.ts';
import { vault } from '../custody/vault.ts';
import type { Engine } from '../engine/engine.ts';
import { type OwnIssuer, ownIssuer } from '../login/tokens/own-issuer.ts';
import { type FirstStart, firstStart, firstStartWarnings } from './first-start.ts';
import type { Ground } from './ground.ts';
import type { TimedDatabase } from './open-database.ts';
import { credentialsFile } from './root-credentials.ts';
import { rootKeyOf, rootKeyWarning } from './root-key.ts';
import { openPaymaster, openServiceKeys } from './service-keys.ts';

export type Keys = {
  /** What the first start made. */
  first: FirstStart;
  services: ServiceKeys;
  vault: Engine['vault'];
  /** The issuer of this service's identity tokens. */
  own: OwnIssuer;
};

/** The root key, the master keys under it, and the service's own keys. The first start makes them. */
export async function openKeys({ config, random, log }: Ground, { store, clock, ids }: TimedDatabase): Promise<Keys> {
  const sealed = await store.read.instance.masterKeys();
  checkProvider(config.rootKey.provider, sealed);
  const onCreated = (file: string) =>
    log.warn(
      { file },
      'a root key was created: this file and the database together give every key, and without it no key opens. Back it up apart from the database',
    );
  const root = rootKeyOf(config, random, sealed.length === 0 ? onCreated : undefined);
  const exposed = rootKeyWarning(config);
  if (exposed !== undefined) log.warn({}, exposed);
  const first = await firstStart({ config, store, root, ids, random, now: clock.now() });
  for (const warning of firstStartWarnings(config, first)) log.warn({ file: credentialsFile(config) }, warning);
  const masters = await openMasterKeys(root, await store.read.instance.masterKeys());
  const sealing = envelope(masters, random);
  const services = await openServiceKeys(store, sealing, random, clock.now());
  const own = ownIssuer(config.baseUrl, services['identity-token-signer'].publicKey);
  const paymaster = await openPaymaster(store, sealing, random, clock.now());
  return { first, services, vault: { ...vault(sealing, random, services), paymaster }, own };
}
