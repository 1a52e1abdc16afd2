/** The buttons of a dialog that stamps. After a reload it asks for the key file again. After a code or a provider, any credential stamps. */
import { useId, useState } from 'react';
import { Button } from '../parts/button.tsx';
import { Failure } from '../parts/notice.tsx';
import { useStill } from '../parts/still.ts';
import type { Stamper } from '../service/call.ts';
import { byAttested, byKey, byPasskey } from '../service/stamps.ts';
import type { ChangeStamp } from './change-stamp.ts';
import { readKeyFile } from './key-file.ts';
import { holdKey } from './own-keys.ts';
import { noPasskeys } from './place.ts';
import { TokenWays } from './token-ways.tsx';

type Props = {
  stamp: ChangeStamp;
  label: string;
  kind: 'primary' | 'danger';
  onStamp(stamp: Stamper): void;
  onCancel(): void;
};

export function ChangeKey({ stamp, label, kind, onStamp, onCancel }: Props) {
  const [failure, setFailure] = useState<unknown>();
  const [read, setRead] = useState<Stamper>();
  const fileId = useId();
  const choose = async (file: File) => {
    try {
      const { key } = await readKeyFile(file);
      if (stamp.kind === 'key') {
        if (key.publicKey !== stamp.publicKey) throw new Error('this is another key than the one that signed in');
        holdKey(key);
      }
      setFailure(undefined);
      setRead(() => byKey(key));
    } catch (error) {
      setFailure(error);
    }
  };
  const by = stamp.needsFile ? read : stamp.stamp;
  // The second press of a double one was meant for what opened the dialog.
  const still = useStill(`${label} ${read === undefined}`);
  return (
    <>
      {stamp.kind === 'any' && !read && (
        <>
          {stamp.own && (
            <Button isDisabled={!still} onPress={() => onStamp(stamp.own!)}>
              {label} with the key that signed in
            </Button>
          )}
          {!noPasskeys() && (
            <Button isDisabled={!still} onPress={() => onStamp(byPasskey())}>
              {label} with a passkey
            </Button>
          )}
          <TokenWays busy={!still} label={label} onProof={(attested) => onStamp(byAttested(attested))} />
        </>
      )}
      {stamp.needsFile && !read && (
        <p>
          <label htmlFor={fileId}>
            {stamp.kind === 'any' ? 'Or a key file' : 'The key file, which a reload of the page removed from memory'}
          </label>
          <input
            id={fileId}
            type="file"
            accept=".json,application/json"
            onChange={({ currentTarget: { files } }) => files?.[0] && void choose(files[0])}
          />
        </p>
      )}
      {failure !== undefined && <Failure error={failure} doing="Reading the key" />}
      <div className="buttons">
        <Button onPress={onCancel}>Cancel</Button>
        {(stamp.kind !== 'any' || read) && (
          <Button kind={kind} isDisabled={by === undefined || !still} onPress={() => by && onStamp(by)}>
            {label}
          </Button>
        )}
      </div>
    </>
  );
}
