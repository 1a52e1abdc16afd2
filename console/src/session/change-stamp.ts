/** How a change is stamped: by the passkey that signed in, or by the person's own key. After a code or a provider, any credential stamps. */
import { useEffect, useState } from 'react';
import type { Stamper } from '../service/call.ts';
import { byKey, byPasskey } from '../service/stamps.ts';
import { ownKey } from './own-keys.ts';
import { useSession } from './state.ts';

/** `any`: the person chooses a credential; `own`: the key that signed in is one. `needsFile`: the page has no key. */
export type ChangeStamp = {
  kind: 'passkey' | 'key' | 'any';
  needsFile: boolean;
  publicKey: string;
  stamp: Stamper;
  own?: Stamper;
};

const missing: Stamper = () => Promise.reject(new Error('this page no longer has the key: choose its file'));

export const ANY_CREDENTIAL: ChangeStamp = { kind: 'any', needsFile: true, publicKey: '', stamp: missing };

/** A key of this browser has no file to choose. */
export const anyBeside = ({ kind, needsFile, stamp }: ChangeStamp): ChangeStamp =>
  kind === 'key' && !needsFile ? { ...ANY_CREDENTIAL, own: stamp } : ANY_CREDENTIAL;

export function useChangeStamp(): ChangeStamp {
  const { way } = useSession();
  const publicKey = way.kind === 'key' ? way.publicKey : '';
  const [key, setKey] = useState<Awaited<ReturnType<typeof ownKey>>>();
  useEffect(() => {
    if (way.kind === 'key') void ownKey(way.publicKey).then(setKey);
  }, [way]);
  if (way.kind === 'passkey') return { kind: 'passkey', needsFile: false, publicKey: '', stamp: byPasskey(way.credentialId) };
  if (way.kind !== 'key') return ANY_CREDENTIAL;
  return { kind: 'key', needsFile: key === undefined, publicKey, stamp: key === undefined ? missing : byKey(key) };
}
