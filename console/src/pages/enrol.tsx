/** The first passkey of a user, by a link that the start or `./countersign console` printed. */
import { Link } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { useTitle } from '../app/title.ts';
import { Failure, Notice } from '../parts/notice.tsx';
import { query, type Stamper } from '../service/call.ts';
import { ServiceError } from '../service/errors.ts';
import { client } from '../service/read.ts';
import { byKey } from '../service/stamps.ts';
import { dropLink, givenLink } from '../session/enrol-link.ts';
import { keyOfSecret } from '../session/key-file.ts';
import { PasskeyForm, SecondPasskey } from '../session/passkey-form.tsx';
import { PasskeyWaits } from '../session/passkey-waits.tsx';
import { noPasskeys } from '../session/place.ts';
import { addPasskey, makePasskey, type NewPasskey } from '../session/register-passkey.ts';
import { signInByPasskey } from '../session/sign-in.ts';

type Person = { organizationId: string; organizationName: string; userId: string; username: string };

/** What was done stays done when a later step fails: each press goes on from there. */
type Done = { person?: Person; passkey?: NewPasskey; isAdded?: boolean };

const isUnknown = (error: unknown): boolean => error instanceof ServiceError && error.status === 401;

const NOT_KNOWN = 'the service does not know this link: it expired, was used, or others must approve it first';

async function personOf(stamp: Stamper, organizationId: string): Promise<Person> {
  try {
    return await query<Person>(stamp, 'whoami', { organizationId });
  } catch (error) {
    throw isUnknown(error) ? new Error(NOT_KNOWN) : error;
  }
}

/** The link's key ends when the passkey is added. So a refusal of it after a lost answer says that the passkey may be there. */
async function add(stamp: Stamper, person: Person, passkey: NewPasskey): Promise<'added' | 'waits'> {
  try {
    return await addPasskey(stamp, person, passkey);
  } catch (error) {
    if (passkey.sent?.isUnsure && isUnknown(error)) return 'added';
    throw error;
  }
}

async function enrol(name: string, done: Done): Promise<'in' | 'added' | 'waits'> {
  const link = givenLink();
  if (link === undefined) throw new Error('the link was used already: print a new one with ./countersign console');
  // A copy, since the secret is wiped.
  const stamp = byKey(await keyOfSecret(link.secret.slice()));
  done.person ??= await personOf(stamp, link.organizationId);
  done.passkey ??= await makePasskey(done.person, name, []);
  try {
    if (!done.isAdded && (await add(stamp, done.person, done.passkey)) === 'waits') {
      dropLink();
      return 'waits';
    }
  } catch (error) {
    if (done.passkey.sent === undefined) delete done.passkey;
    throw error;
  }
  done.isAdded = true;
  const waiting = await signInByPasskey(done.person.organizationId, { credentialId: done.passkey.credentialId });
  dropLink();
  return waiting ? 'added' : 'in';
}

export function EnrolPage() {
  useTitle('Add a passkey');
  const [name, setName] = useState('My passkey');
  const [done] = useState<Done>({});
  const [step, setStep] = useState<'asks' | 'busy' | 'in' | 'added' | 'waits'>('asks');
  const [failure, setFailure] = useState<unknown>();
  const impossible = noPasskeys();
  const run = async (event: FormEvent) => {
    event.preventDefault();
    setStep('busy');
    setFailure(undefined);
    try {
      setStep(await enrol(name.trim() || 'My passkey', done));
      void client.invalidateQueries();
    } catch (error) {
      setFailure(error);
      setStep('asks');
    }
  };
  return (
    <div className="narrow card">
      <h1>{step === 'in' ? 'You are signed in' : 'Add a passkey'}</h1>
      {step === 'in' ? (
        <Enrolled />
      ) : step === 'added' ? (
        <Notice level="good" title="The passkey is added">
          <p>
            <Link to="/approvals">Sign in</Link> with it, and with a further factor.
          </p>
        </Notice>
      ) : step === 'waits' ? (
        <PasskeyWaits />
      ) : givenLink() === undefined ? (
        <NoLink />
      ) : impossible ? (
        <Notice level="amber" title={impossible} />
      ) : (
        <PasskeyForm
          name={name}
          onName={setName}
          isMade={done.passkey !== undefined}
          isBusy={step === 'busy'}
          label={done.isAdded ? 'Sign in with the passkey' : done.passkey ? 'Try again' : 'Make a passkey'}
          prompts="The browser asks twice: once to make the passkey, and once to sign in with it."
          onSubmit={run}
        >
          <p>
            You sign in and approve with a <strong>passkey</strong>. This device, your phone or a security key keeps it. There is
            no password.
          </p>
        </PasskeyForm>
      )}
      {failure !== undefined && done.isAdded && <Notice level="good" title="The passkey is added: only the sign-in is left" />}
      {failure !== undefined && <Failure error={failure} doing={done.isAdded ? 'Signing in' : 'Adding the passkey'} />}
    </div>
  );
}

const NoLink = () => (
  <Notice level="amber" title="This page opens by a link, which works once">
    <p>
      Open the whole link that the start printed. Without it, <code>./countersign console</code> prints a new one.
    </p>
    <p>
      <Link to="/approvals">Sign in</Link> if you have a passkey.
    </p>
  </Notice>
);

const Enrolled = () => (
  <>
    <p>The passkey is added, and the link is used up.</p>
    <SecondPasskey />
    <p>
      If you started this service: move its key file, <code>root-credentials.json</code>, to a place that is offline.
    </p>
    <p>
      <Link to="/approvals" className="button primary">
        Go to approvals
      </Link>
    </p>
  </>
);
