/** A key made in this browser: its public half, and the command that registers it. */
import { Fragment, useEffect, useState } from 'react';
import { Button } from '../parts/button.tsx';
import { AsCommand } from '../parts/command.tsx';
import { Copy } from '../parts/copy.tsx';
import { Failure } from '../parts/notice.tsx';
import type { StampKey } from '../service/stamps.ts';
import { makeKey, storedKeys } from './own-keys.ts';

type Props = { organizationId: string; busy: boolean; onSignIn(key: StampKey): void };

const registering = (publicKey: string): string =>
  `./countersign submit create_api_keys '${JSON.stringify({
    userId: 'USER_ID',
    apiKeys: [{ apiKeyName: 'browser', publicKey, curveType: 'API_KEY_CURVE_P256' }],
  })}'`;

export function BrowserKey({ organizationId, busy, onSignIn }: Props) {
  const [keys, setKeys] = useState<StampKey[]>([]);
  const [failure, setFailure] = useState<unknown>();
  useEffect(() => {
    storedKeys().then(setKeys, setFailure);
  }, []);
  const make = () => makeKey().then((key) => setKeys((before) => [...before, key]), setFailure);
  return (
    <div className="way">
      <h2>A key of this browser</h2>
      {keys.map((key) => (
        <Fragment key={key.publicKey}>
          <p>
            <code className="address">{key.publicKey}</code> <Copy text={key.publicKey} what="the public key" />
          </p>
          <AsCommand line={registering(key.publicKey)} />
          <Button isDisabled={busy || organizationId === ''} onPress={() => onSignIn(key)}>
            Sign in with this key
          </Button>
        </Fragment>
      ))}
      {keys.length === 0 ? (
        <p className="dim">The key is made here, and cannot be read out. A user who may add keys registers it.</p>
      ) : (
        organizationId === '' && <p className="dim">The organization’s id is needed first.</p>
      )}
      <Button isDisabled={busy} onPress={() => void make()}>
        {keys.length === 0 ? 'Make a key' : 'Make another key'}
      </Button>
      {failure !== undefined && <Failure error={failure} doing="Keeping the key" />}
    </div>
  );
}
