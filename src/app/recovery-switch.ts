import type { Config } from '../config.ts';
import type { Envelope } from '../custody/envelope.ts';
import { RECOVERY_SWITCH, sealedSwitch, switchIsOn } from '../custody/recovery-switch.ts';
import { EnvelopeError } from '../custody/types.ts';
import type { Store } from '../store/types.ts';

type Parts = { config: Pick<Config, 'recovery'>; store: Store; envelope: Envelope };

/** Whether the operator may recover root users: the setting and the sealed switch must both say so. */
export async function mayRecover({ config, store, envelope }: Parts): Promise<boolean> {
  return config.recovery.allowed && switchIsOn(envelope, await store.read.instance.serviceKeys());
}

function isOff(envelope: Envelope, rows: Parameters<typeof switchIsOn>[1]): boolean {
  try {
    return rows.some(({ name }) => name === RECOVERY_SWITCH) && !switchIsOn(envelope, rows);
  } catch (error) {
    if (!(error instanceof EnvelopeError)) throw error;
    return false;
  }
}

/** The first start of a database turns the switch on. The setting `off` turns it off, and only the operator's command on again. */
export async function keepSwitch({ config, store, envelope }: Parts, isNew: boolean, now: number): Promise<void> {
  const { allowed } = config.recovery;
  if (allowed ? !isNew : isOff(envelope, await store.read.instance.serviceKeys())) return;
  await store.exclusively((tx) => tx.instance.putServiceKey(sealedSwitch(envelope, allowed), now));
}
