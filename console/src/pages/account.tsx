/** The signed-in person: credentials, a second passkey, and the end of the session. */
import { Navigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { visible } from '../../../review/visible.ts';
import { fromBase64Url } from '../../../src/base/bytes.ts';
import { useTitle } from '../app/title.ts';
import { Button } from '../parts/button.tsx';
import { AsCommand, commandOf } from '../parts/command.tsx';
import { Copy } from '../parts/copy.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Field } from '../parts/field.tsx';
import { Failure, Notice } from '../parts/notice.tsx';
import { Ago, Exact, millisecondsOf } from '../parts/time.tsx';
import type { Stamper } from '../service/call.ts';
import { client, useRead } from '../service/read.ts';
import type { User } from '../service/types.ts';
import { ChangeKey } from '../session/change-key.tsx';
import { useChangeStamp } from '../session/change-stamp.ts';
import { PasskeyWaits } from '../session/passkey-waits.tsx';
import { noPasskeys } from '../session/place.ts';
import { addPasskey, makePasskey, type NewPasskey } from '../session/register-passkey.ts';
import { RemoveCredential } from '../session/remove-credential.tsx';
import { signOut } from '../session/sign-in.ts';
import { useSession } from '../session/state.ts';

/** Of the person, who belongs to one organization. */
export function AccountPage() {
  const { isOwn } = useSession();
  return isOwn ? <Account /> : <Navigate to="/account" search={{ org: undefined }} replace />;
}

function Account() {
  useTitle('Account');
  const session = useSession();
  const { data, error } = useRead<{ user: User }>('get_user', { userId: session.userId });
  return (
    <div className="narrow">
      <h1>{visible(session.username)}</h1>
      <dl className="facts">
        <IdRow label="Organization" name={session.organizationName} id={session.organizationId} />
        <IdRow label="User" name={session.username} id={session.userId} />
        <div className="fact">
          <dt>Session</dt>
          <dd>
            ends <Exact ms={session.endsMs} />. This sign-in can look at everything you may see, and change nothing. Each change
            asks for {ASKED[session.way.kind]}.
          </dd>
        </div>
      </dl>
      <SignOut user={data?.user} />
      <section>
        <h2>Passkeys</h2>
        {error && <Failure error={error} doing="Reading the user" />}
        {data && <Passkeys user={data.user} />}
      </section>
      <section>
        <h2>Keys</h2>
        {data && <Keys user={data.user} />}
      </section>
    </div>
  );
}

const ASKED = { passkey: 'your passkey', key: 'your key', code: 'a credential', provider: 'a credential' } as const;

const IdRow = ({ label, name, id }: { label: string; name: string; id: string }) => (
  <div className="fact">
    <dt>{label}</dt>
    <dd>
      {visible(name)}
      <br />
      <code className="address">{id}</code> <Copy text={id} what={`the id of the ${label.toLowerCase()}`} />
    </dd>
  </div>
);

function SignOut({ user }: { user: User | undefined }) {
  const session = useSession();
  const { way, userId } = session;
  const own = user?.apiKeys.find(({ credential }) => credential.publicKey === session.key.publicKey);
  return (
    <>
      <div className="buttons">
        <Button onPress={() => void signOut(session)}>Sign out</Button>
        {way.kind === 'key' && (
          <Button onPress={() => void signOut(session, way.publicKey)}>Sign out, and forget the key here</Button>
        )}
      </div>
      {own && (
        <AsCommand
          line={commandOf('submit', 'delete_api_keys', JSON.stringify({ userId, apiKeyIds: [own.apiKeyId] }))}
          title="Ending this session as a command"
        />
      )}
    </>
  );
}

function Passkeys({ user }: { user: User }) {
  const { way } = useSession();
  const few = user.authenticators.length < 2;
  return (
    <>
      {user.authenticators.length === 1 && (
        <Notice level="amber" title="There is one passkey: a lost device locks you out. Add a second one." />
      )}
      <ul className="credentials">
        {user.authenticators.map(({ authenticatorId, authenticatorName, credentialId, createdAt }) => (
          <li key={authenticatorId}>
            <strong>{visible(authenticatorName)}</strong>{' '}
            <span className="dim">
              added <Ago ms={millisecondsOf(createdAt)} />
            </span>{' '}
            <RemoveCredential
              kind="passkey"
              id={authenticatorId}
              name={authenticatorName}
              signedIn={way.kind === 'passkey' && way.credentialId === credentialId}
              isLast={user.authenticators.length === 1}
            />
          </li>
        ))}
      </ul>
      {user.authenticators.length === 0 && <p>There is no passkey yet.</p>}
      <AddPasskey user={user} urges={few} />
    </>
  );
}

function AddPasskey({ user, urges }: { user: User; urges: boolean }) {
  const session = useSession();
  const stamp = useChangeStamp();
  const [name, setName] = useState('');
  const [asks, setAsks] = useState(false);
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>();
  const [waits, setWaits] = useState(false);
  /** Its answer was lost. */
  const [unsure, setUnsure] = useState<NewPasskey>();
  const impossible = noPasskeys();
  const add = async (by: Stamper) => {
    setBusy(true);
    setFailure(undefined);
    setWaits(false);
    let passkey = unsure;
    try {
      const have = user.authenticators.flatMap(({ credentialId }) => fromBase64Url(credentialId) ?? []);
      passkey ??= await makePasskey(session, name.trim(), have);
      setWaits((await addPasskey(by, session, passkey)) === 'waits');
      setUnsure(undefined);
      setName('');
    } catch (error) {
      setUnsure(passkey?.sent && passkey);
      setFailure(error);
    } finally {
      setBusy(false);
      void client.invalidateQueries();
    }
  };
  const press = (event: FormEvent) => {
    event.preventDefault();
    if (name.trim() === '' || busy) return;
    if (stamp.kind === 'passkey' || unsure) void add(stamp.stamp);
    else setAsks(true);
  };
  if (impossible) return <Notice level="amber" title={impossible} />;
  return (
    <form onSubmit={press} className="add">
      <Field label="Name of a new passkey" value={name} onChange={setName} maxLength={100} isDisabled={unsure !== undefined} />
      <Button type="submit" kind={urges ? 'primary' : 'plain'} isDisabled={busy || name.trim() === ''}>
        {unsure ? 'Send it again' : 'Add a passkey'}
      </Button>
      <AsCommand
        line={commandOf('--credentials', 'FILE', 'console')}
        title="A link for a passkey on another device, as a command"
        note="FILE is a key file of yours. The link adds the passkey to the user of that key."
      />
      {waits && <PasskeyWaits />}
      {failure !== undefined && <Failure error={failure} doing="Adding the passkey" />}
      <Dialog title="Add a passkey to your user?" isOpen={asks} onClose={() => setAsks(false)}>
        <p>Your key stamps the change. The browser then makes the passkey.</p>
        <ChangeKey
          stamp={stamp}
          label="Add it"
          kind="primary"
          onCancel={() => setAsks(false)}
          onStamp={(by) => {
            setAsks(false);
            void add(by);
          }}
        />
      </Dialog>
    </form>
  );
}

function Keys({ user }: { user: User }) {
  const { way } = useSession();
  const lasting = user.apiKeys.filter(({ expirationSeconds }) => !expirationSeconds);
  return (
    <>
      <ul className="credentials">
        {user.apiKeys.map(({ apiKeyId, apiKeyName, credential, createdAt, expirationSeconds }) => (
          <li key={apiKeyId}>
            <strong>{visible(apiKeyName)}</strong>{' '}
            <span className="dim">
              added <Ago ms={millisecondsOf(createdAt)} />
              {expirationSeconds && (
                <>
                  , ends <Exact ms={millisecondsOf(createdAt) + Number(expirationSeconds) * 1000} />
                </>
              )}
            </span>
            <br />
            <code className="address">{credential.publicKey}</code>{' '}
            {!expirationSeconds && (
              <RemoveCredential
                kind="key"
                id={apiKeyId}
                name={apiKeyName}
                signedIn={way.kind === 'key' && way.publicKey === credential.publicKey}
                isLast={lasting.length === 1}
              />
            )}
          </li>
        ))}
      </ul>
      <AsCommand line={commandOf('query', 'get_api_keys', JSON.stringify({ userId: user.userId }))} />
    </>
  );
}
