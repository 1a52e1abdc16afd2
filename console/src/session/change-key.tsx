/** The buttons of a dialog that stamps. After a reload it asks for the key file again. */
import { useId, useState } from 'react';
import { Button } from '../parts/button.tsx';
import { Failure } from '../parts/notice.tsx';
import type { Stamper } from '../service/call.ts';
import { byKey } from '../service/stamps.ts';
import type { ChangeStamp } from './change-stamp.ts';
import { readKeyFile } from './key-file.ts';
import { holdKey } from './own-keys.ts';

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
      if (key.publicKey !== stamp.publicKey) throw new Error('this is another key than the one that signed in');
      holdKey(key);
      setFailure(undefined);
      setRead(() => byKey(key));
    } catch (error) {
      setFailure(error);
    }
  };
  const by = stamp.needsFile ? read : stamp.stamp;
  return (
    <>
      {stamp.needsFile && !read && (
        <p>
          <label htmlFor={fileId}>The key file, which a reload of the page removed from memory</label>
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
        <Button kind={kind} isDisabled={by === undefined} onPress={() => by && onStamp(by)}>
          {label}
        </Button>
      </div>
    </>
  );
}
