/** A sign-in that waits for further factors of the same person, or for others. */
import { useId } from 'react';
import { Button } from '../parts/button.tsx';
import { AsCommand, commandOf } from '../parts/command.tsx';
import { Notice } from '../parts/notice.tsx';
import type { Stamper } from '../service/call.ts';
import { byAttested, byKey, byPasskey } from '../service/stamps.ts';
import { FileInput } from './file-input.tsx';
import { readKeyFile } from './key-file.ts';
import { noPasskeys } from './place.ts';
import { addFactor, finish, type Waiting } from './sign-in.ts';
import { TokenWays } from './token-ways.tsx';

type Props = {
  waiting: Waiting;
  busy: boolean;
  run(work: () => Promise<Waiting | undefined>): void;
  onCancel(): void;
};

export const SignInWaits = ({ waiting, busy, run, onCancel }: Props) => (
  <div className="sign-in">
    {waiting.needs === 'factor' ? (
      <Factors waiting={waiting} busy={busy} run={run} />
    ) : (
      <Notice level="info" title="Others must approve this sign-in first">
        <p>Its fingerprint:</p>
        <p>
          <code className="address">{waiting.fingerprint}</code>
        </p>
        <Button isDisabled={busy} onPress={() => run(() => finish(waiting.login))}>
          Ask again
        </Button>
      </Notice>
    )}
    <AsCommand
      line={commandOf('approvals', 'approve', waiting.activityId)}
      title={waiting.needs === 'factor' ? 'With another key of yours, as a command' : 'Approving it, as a command'}
    />
    <Button onPress={onCancel}>Cancel</Button>
  </div>
);

function Factors({ waiting, busy, run }: Omit<Props, 'onCancel'>) {
  const fileId = useId();
  const { missing, isMore } = waiting;
  const by = (stamp: Stamper) => addFactor(waiting, stamp);
  const byFile = async (file: File) => by(byKey((await readKeyFile(file)).key));
  return (
    <>
      <Notice level="info" title={`This sign-in needs ${isMore ? 'one more' : 'a further'} factor`}>
        <p>
          {missing.length > 0
            ? `Your MFA policy asks for a stamp by ${missing.join(', and by ')}.`
            : 'Your MFA policy asks for another passkey, a key, a code by mail, or an account elsewhere.'}
        </p>
        {!noPasskeys() && (
          <Button isDisabled={busy} onPress={() => run(() => by(byPasskey()))}>
            Use another passkey
          </Button>
        )}
        <p>
          <label htmlFor={fileId}>A key file</label>
          <FileInput id={fileId} isDisabled={busy} onFile={(file) => run(() => byFile(file))} />
        </p>
      </Notice>
      <TokenWays busy={busy} label="Go on" onProof={(attested) => run(() => by(byAttested(attested)))} />
    </>
  );
}
