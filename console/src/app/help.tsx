/** The dialog behind `?`: the keys, and whether this browser tells of what waits. */
import { useState } from 'react';
import { Button } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { setLook, useLook } from './look.ts';
import { allowNotices, noNotices } from './notices.ts';
import { SHORTCUTS } from './shortcuts.ts';

export function Help({ isOpen, onClose }: { isOpen: boolean; onClose(): void }) {
  const { shortcuts } = useLook();
  return (
    <Dialog title="Keys and notices" isOpen={isOpen} onClose={onClose}>
      <label className="check">
        <input
          type="checkbox"
          checked={shortcuts}
          onChange={({ currentTarget }) => setLook({ shortcuts: currentTarget.checked })}
        />
        Keys work on every page. None of them approves, rejects or deletes.
      </label>
      <dl className="keys">
        {SHORTCUTS.map(([keys, does]) => (
          <div key={keys}>
            <dt>
              {keys.split(' ').map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
      <Notices />
      <div className="buttons">
        <Button onPress={onClose}>Close</Button>
      </div>
    </Dialog>
  );
}

function Notices() {
  const { notices } = useLook();
  const [failure, setFailure] = useState<string>();
  const refused = failure ?? noNotices();
  const isOn = notices && refused === undefined;
  const press = async () => {
    if (isOn) setLook({ notices: false });
    else setFailure(await allowNotices());
  };
  return (
    <>
      <p>{isOn ? 'This browser shows a notice when more waits for you.' : 'The title of the tab counts what waits for you.'}</p>
      <p role="status">{refused}</p>
      <Button isDisabled={noNotices() !== undefined} onPress={() => void press()}>
        {isOn ? 'Show no notices' : 'Show notices too'}
      </Button>
    </>
  );
}
