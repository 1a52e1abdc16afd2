import { bytesOfKey } from '../crypto/plain-key.ts';
import type { Envelope } from './envelope.ts';
import { serviceSecret, withServiceKey } from './service-keys.ts';

export const RECOVERY_SWITCH = 'operator-recovery';

type SealedSwitch = { name: string; publicKey: string; sealed: Buffer };

/** Whether the operator may recover root users, sealed: neither the database nor the environment alone turns it on. */
export const sealedSwitch = (envelope: Envelope, isOn: boolean): SealedSwitch => ({
  name: RECOVERY_SWITCH,
  publicKey: '',
  sealed: envelope.seal(serviceSecret(RECOVERY_SWITCH), Buffer.from(isOn ? 'on' : 'off')),
});

/** Off if there is no row: otherwise its removal would turn it on. Throws EnvelopeError. */
export function switchIsOn(envelope: Envelope, rows: readonly SealedSwitch[]): boolean {
  const row = rows.find(({ name }) => name === RECOVERY_SWITCH);
  return row !== undefined && withServiceKey(envelope, row, (text) => bytesOfKey(text).toString() === 'on');
}
