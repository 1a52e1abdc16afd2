/** Ways to sign in: a passkey, a key of a file or this browser, a code, and a provider. */
import { type FormEvent, useId, useState } from 'react';
import { Button } from '../parts/button.tsx';
import { Field } from '../parts/field.tsx';
import { Failure, Notice } from '../parts/notice.tsx';
import type { Attested } from '../service/stamps.ts';
import { BrowserKey } from './browser-key.tsx';
import { FileInput } from './file-input.tsx';
import { readKeyFile } from './key-file.ts';
import { ownKey, storeKey } from './own-keys.ts';
import { noPasskeys, notSecure } from './place.ts';
import { signInByKey, signInByPasskey, signInByToken, type Waiting } from './sign-in.ts';
import { SignInWaits } from './sign-in-waits.tsx';
import { rememberedOrganization, type Session } from './state.ts';
import { TokenWays } from './token-ways.tsx';

type Props = {
  /** The same person signs in again, above the page. */
  again?: Session;
  onDone(): void;
};

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export function SignInForm({ again, onDone }: Props) {
  const [organizationId, setOrganizationId] = useState(again?.organizationId ?? rememberedOrganization());
  const [typed, setTyped] = useState(false);
  const [failure, setFailure] = useState<unknown>();
  const [busy, setBusy] = useState(false);
  const [waiting, setWaiting] = useState<Waiting>();
  const [keeps, setKeeps] = useState(false);
  const fileId = useId();
  const id = organizationId.trim().toLowerCase();
  const wrongId = id !== '' && !UUID.test(id);
  const impossible = noPasskeys();
  const [others, setOthers] = useState(impossible !== undefined || again?.way.kind === 'code' || again?.way.kind === 'provider');
  const known = again?.way.kind === 'passkey' ? again.way.credentialId : undefined;

  const run = async (work: () => Promise<Waiting | undefined>) => {
    setBusy(true);
    setFailure(undefined);
    try {
      const waits = await work();
      setWaiting(waits);
      if (!waits) onDone();
    } catch (error) {
      setFailure(error);
    } finally {
      setBusy(false);
    }
  };

  const byPasskey = (event: FormEvent) => {
    event.preventDefault();
    if (wrongId || busy || impossible) return;
    void run(() => signInByPasskey(id, { credentialId: known, again }));
  };

  const byFile = (file: File) =>
    run(async () => {
      if (wrongId) throw new Error('the organization’s id is no UUID');
      const { key, organizationId: named } = await readKeyFile(file);
      // What was typed counts more than the file. A remembered one counts less.
      const organization = again?.organizationId ?? ((typed && id) || named || id);
      if (!organization) throw new Error('the key file names no organization: type the organization’s id first');
      const waits = await signInByKey(organization, key, again);
      if (keeps) await storeKey(key);
      return waits;
    });

  const bySameKey = () =>
    run(async () => {
      const key = again?.way.kind === 'key' ? await ownKey(again.way.publicKey) : undefined;
      if (key === undefined) throw new Error('this page no longer has the key: choose its file');
      return signInByKey(again!.organizationId, key, again);
    });

  const byToken = (attested: Attested, top?: string) =>
    run(async () => {
      if (wrongId) throw new Error('the organization’s id is no UUID');
      const organization = id || top;
      if (!organization) throw new Error('type the organization’s id first');
      return signInByToken(organization, attested, again);
    });

  const failed = failure !== undefined && <Failure error={failure} doing="Signing in" />;
  const insecure = notSecure();
  if (insecure) return <Notice level="amber" title={insecure} />;
  if (waiting)
    return (
      <>
        <SignInWaits waiting={waiting} busy={busy} run={(work) => void run(work)} onCancel={() => setWaiting(undefined)} />
        {failed}
      </>
    );
  return (
    <div className="sign-in">
      <form onSubmit={byPasskey}>
        {!again && (
          <Field
            label="Organization"
            mono
            value={organizationId}
            onChange={(text) => {
              setTyped(true);
              setOrganizationId(text);
            }}
            isInvalid={wrongId}
            help={wrongId ? 'An id is a UUID, such as 0191f3c2-7a51-7c3e-b1f0-….' : 'Its id. Empty: the passkey says which.'}
          />
        )}
        {impossible ? (
          <Notice level="amber" title={impossible} />
        ) : (
          <Button type="submit" kind="primary" isDisabled={busy || wrongId}>
            Sign in with a passkey
          </Button>
        )}
      </form>
      {known && (
        <Button onPress={() => run(() => signInByPasskey(id, { again }))} isDisabled={busy}>
          Use another passkey
        </Button>
      )}
      {failed}
      {again?.way.kind === 'key' && (
        <Button onPress={bySameKey} isDisabled={busy}>
          Sign in with the same key
        </Button>
      )}
      <details className="other-ways" open={others} onToggle={({ currentTarget }) => setOthers(currentTarget.open)}>
        <summary>Other ways</summary>
        <div className="way">
          <label htmlFor={fileId}>A key file</label>
          <p className="dim">
            The first start wrote <code>root-credentials.json</code>. The file is read here, and is sent nowhere.
          </p>
          <FileInput id={fileId} isDisabled={busy} onFile={(file) => void byFile(file)} />
          <label className="check">
            <input type="checkbox" checked={keeps} onChange={({ currentTarget }) => setKeeps(currentTarget.checked)} />
            Keep the key in this browser. Scripts cannot read it, and a person at this device can use it.
          </label>
        </div>
        <BrowserKey organizationId={id} busy={busy} onSignIn={(key) => run(() => signInByKey(id, key, again))} />
        {others && <TokenWays busy={busy} label="Sign in" onProof={(attested, top) => void byToken(attested, top)} />}
      </details>
    </div>
  );
}
