/** Accepts an invitation by its mailed link: makes a passkey, and signs in with it. */
import { Link } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { visible } from '../../../review/visible.ts';
import { useTitle } from '../app/title.ts';
import { Failure, Notice } from '../parts/notice.tsx';
import { ServiceError } from '../service/errors.ts';
import { client } from '../service/read.ts';
import { dropInvitation, givenInvitation, type Invitation } from '../session/invitation.ts';
import { PasskeyForm, SecondPasskey } from '../session/passkey-form.tsx';
import { PasskeyWaits } from '../session/passkey-waits.tsx';
import { noPasskeys } from '../session/place.ts';
import { acceptInvitation, makePasskey, type NewPasskey } from '../session/register-passkey.ts';
import { signInByPasskey } from '../session/sign-in.ts';

/** What was done stays done when a later step fails: each press goes on from there. */
type Done = { passkey?: NewPasskey; isAccepted?: boolean };

const AGAIN = 'Ask for a new invitation.';

/** A refused acceptance, in words. Its prompts and lost answers have words already. */
function worded(error: unknown): unknown {
  if (!(error instanceof ServiceError)) return error;
  if (error.code === 'UNAUTHENTICATED')
    return new Error(`it may have been used already, been revoked, or have expired. ${AGAIN}`);
  if (error.message.includes('does not allow passkeys of its origin'))
    return new Error('your organization takes passkeys only from a site of its own. Its people know which.');
  return error;
}

async function accept(invitation: Invitation, name: string, done: Done): Promise<'in' | 'accepted' | 'waits'> {
  const { organizationId, userId, email, secret } = invitation;
  const organizationName = invitation.organizationName || 'Countersign';
  done.passkey ??= await makePasskey({ organizationId, organizationName, userId, username: email || userId }, name, [], secret);
  if (!done.isAccepted) {
    const { passkey } = done;
    const outcome = await acceptInvitation(invitation, passkey).catch((error: unknown) => {
      // After a refusal no service knows the passkey. A prompt that was closed refused nothing.
      if (!(error instanceof DOMException) && passkey.sent === undefined) delete done.passkey;
      throw worded(error);
    });
    if (outcome === 'waits') return 'waits';
    done.isAccepted = true;
  }
  const waiting = await signInByPasskey(organizationId, { credentialId: done.passkey.credentialId });
  return waiting ? 'accepted' : 'in';
}

export function JoinPage() {
  useTitle('Accept an invitation');
  const [invitation] = useState(givenInvitation);
  const [name, setName] = useState('My passkey');
  const [done] = useState<Done>({});
  const [step, setStep] = useState<'asks' | 'busy' | 'in' | 'accepted' | 'waits'>('asks');
  const [failure, setFailure] = useState<unknown>();
  const impossible = noPasskeys();
  if (!invitation) return <NoInvitation />;
  const run = async (event: FormEvent) => {
    event.preventDefault();
    setStep('busy');
    setFailure(undefined);
    try {
      setStep(await accept(invitation, name.trim() || 'My passkey', done));
      dropInvitation();
      void client.invalidateQueries();
    } catch (error) {
      setFailure(error);
      setStep('asks');
    }
  };
  return (
    <div className="narrow card">
      <h1>{step === 'in' ? 'You are signed in' : 'Accept your invitation'}</h1>
      {step === 'in' || step === 'accepted' ? (
        <Accepted isIn={step === 'in'} />
      ) : step === 'waits' ? (
        <PasskeyWaits />
      ) : impossible ? (
        <Notice level="amber" title={impossible} />
      ) : (
        <PasskeyForm
          name={name}
          onName={setName}
          isMade={done.passkey !== undefined}
          isBusy={step === 'busy'}
          label={done.isAccepted ? 'Sign in with the passkey' : done.passkey ? 'Confirm with the passkey' : 'Make a passkey'}
          prompts="The browser asks three times: to make the passkey, to accept with it, and to sign in."
          onSubmit={run}
        >
          <p>
            You are invited{invitation.organizationName && ` to ${visible(invitation.organizationName)}`}
            {invitation.email && ` as ${visible(invitation.email)}`}.
          </p>
          <p>
            You sign in with a <strong>passkey</strong>. This device, your phone or a security key keeps it. There is no password.
          </p>
        </PasskeyForm>
      )}
      {failure !== undefined && done.isAccepted && (
        <Notice level="good" title="The invitation is accepted: only the sign-in is left" />
      )}
      {failure !== undefined && <Failure error={failure} doing={done.isAccepted ? 'Signing in' : 'Accepting the invitation'} />}
    </div>
  );
}

const NoInvitation = () => (
  <div className="narrow card">
    <h1>Accept your invitation</h1>
    <Notice level="amber" title="There is no invitation in this address">
      <p>Open the whole link in the mail again. An invitation works once.</p>
      <p>
        <Link to="/approvals">Sign in</Link> if you accepted it before.
      </p>
    </Notice>
  </div>
);

const Accepted = ({ isIn }: { isIn: boolean }) => (
  <>
    <p>The invitation is accepted. From now on you sign in with this passkey.</p>
    {isIn && <SecondPasskey />}
    <p>
      <Link to="/approvals" className="button primary">
        {isIn ? 'Go to approvals' : 'Sign in with a further factor'}
      </Link>
    </p>
  </>
);
