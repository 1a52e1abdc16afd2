/** The first passkey of a user, by a link that the start or `./countersign console` printed. */
import { Link } from '@tanstack/react-router';
import { type FormEvent, useEffect, useState } from 'react';
import { visible } from '../../../review/visible.ts';
import { useTitle } from '../app/title.ts';
import { Failure, Notice } from '../parts/notice.tsx';
import { query, type Stamper } from '../service/call.ts';
import { ServiceError } from '../service/errors.ts';
import { client } from '../service/read.ts';
import { byKey } from '../service/stamps.ts';
import { dropLink, type EnrolLink, givenLink } from '../session/enrol-link.ts';
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

const NO_LINK = 'the link was used already: print a new one with ./countersign console';

/** A copy of the secret, since it is wiped. */
const stampOf = async ({ secret }: EnrolLink): Promise<Stamper> => byKey(await keyOfSecret(secret.slice()));

async function personOf(stamp: Stamper, { organizationId, userId }: EnrolLink): Promise<Person> {
  try {
    const person = await query<Person>(stamp, 'whoami', { organizationId });
    if (person.userId !== userId) throw new Error('the service names another user than the link');
    return person;
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
  if (link === undefined) throw new Error(NO_LINK);
  const stamp = await stampOf(link);
  done.person ??= await personOf(stamp, link);
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
          <About />
        </PasskeyForm>
      )}
      {failure !== undefined && done.isAdded && <Notice level="good" title="The passkey is added: only the sign-in is left" />}
      {failure !== undefined && <Failure error={failure} doing={done.isAdded ? 'Signing in' : 'Adding the passkey'} />}
    </div>
  );
}

/** Ids are those of the link. Nothing is said of a link that the service does not know: the button does. */
function About() {
  const [link] = useState(givenLink);
  const [person, setPerson] = useState<Person>();
  useEffect(() => {
    if (link === undefined) return;
    stampOf(link)
      .then((stamp) => personOf(stamp, link))
      .then(setPerson, () => {});
  }, [link]);
  if (link === undefined) return null;
  return (
    <dl className="facts">
      <AboutRow label="Your user" name={person?.username} id={link.userId} />
      <AboutRow label="Organization" name={person?.organizationName} id={link.organizationId} />
    </dl>
  );
}

const AboutRow = ({ label, name, id }: { label: string; name: string | undefined; id: string }) => (
  <div className="fact">
    <dt>{label}</dt>
    <dd>
      {name !== undefined && (
        <p>
          <strong>{visible(name)}</strong> <span className="tag">as the service says</span>
        </p>
      )}
      <code className="address">{id}</code>
    </dd>
  </div>
);

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
