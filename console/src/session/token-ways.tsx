/** A code by mail, and an OpenID provider. Each gives a token for a key of this page. The key signs in, or stamps one change. */
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { Button } from '../parts/button.tsx';
import { Field } from '../parts/field.tsx';
import { Failure } from '../parts/notice.tsx';
import { logins } from '../service/logins.ts';
import type { Attested } from '../service/stamps.ts';
import { codeWays, type Mailed, mailCode, proveCode } from './mailed-code.ts';
import { proveAtProvider, providerHost } from './provider.ts';

type Props = {
  busy: boolean;
  /** What the button does that needs the token, such as `Sign in`. */
  label: string;
  /** `top`: the organization whose sub-organizations get codes. */
  onProof(attested: Attested, top?: string): void;
};

export const TokenWays = (props: Props) => (
  <>
    <div className="way">
      <h2>A code by mail</h2>
      {logins().authProxy ? <ByMail {...props} /> : <Off what="Codes by mail are off" setting="CONSOLE_AUTH_PROXY" />}
    </div>
    <div className="way">
      <h2>An account elsewhere</h2>
      {logins().oidcUrl ? <ByProvider {...props} /> : <Off what="Sign-in at a provider is off" setting="CONSOLE_OIDC_URL" />}
    </div>
  </>
);

const Off = ({ what, setting }: { what: string; setting: string }) => (
  <p className="dim">
    {what}: the operator sets <code>{setting}</code>.
  </p>
);

function ByMail(props: Props) {
  const { data, error } = useQuery({ queryKey: ['wallet_kit_config'], queryFn: codeWays });
  // A later failure takes no code away that is being typed.
  if (!data) return error ? <Failure error={error} doing="Asking the auth proxy" /> : <p className="dim">Asking the service…</p>;
  if (data.sendsMail) return <Codes {...props} top={data.organizationId} />;
  return (
    <p className="dim">
      The service sends no codes. The operator sets <code>SMTP_URL</code>. The organization has{' '}
      <code>FEATURE_NAME_OTP_EMAIL_AUTH</code>, and <code>email</code> among the <code>allowedAuthMethods</code> of its auth
      proxy.
    </p>
  );
}

/** Of one thing at a time. The last failure is shown. */
function useWork() {
  const [works, setWorks] = useState(false);
  const [failure, setFailure] = useState<unknown>();
  const run = async (work: () => Promise<void>) => {
    setWorks(true);
    setFailure(undefined);
    try {
      await work();
    } catch (error) {
      setFailure(error);
    } finally {
      setWorks(false);
    }
  };
  return { works, failure, run };
}

function Codes({ busy, label, onProof, top }: Props & { top: string }) {
  const [email, setEmail] = useState('');
  const [code, setCode] = useState('');
  const [mailed, setMailed] = useState<Mailed>();
  /** The code is used up. What it proved is not, if the next step fails. */
  const [proved, setProved] = useState<Attested>();
  const { works, failure, run } = useWork();
  const off = busy || works;
  const ask = (event: FormEvent) => {
    event.preventDefault();
    if (off || email.trim() === '') return;
    void run(async () => {
      setMailed(await mailCode(email.trim()));
      setCode('');
      setProved(undefined);
    });
  };
  const prove = (event: FormEvent) => {
    event.preventDefault();
    if (off || !mailed || (!proved && code.trim() === '')) return;
    void run(async () => {
      const attested = proved ?? (await proveCode(mailed, code.trim()));
      setProved(attested);
      onProof(attested, top);
    });
  };
  return (
    <>
      <form onSubmit={ask}>
        <Field label="Your email address" type="email" value={email} onChange={setEmail} maxLength={254} />
        <Button type="submit" isDisabled={off || email.trim() === ''}>
          {mailed ? 'Mail another code' : 'Mail a code'}
        </Button>
      </form>
      {mailed && (
        <form onSubmit={prove}>
          <Field
            label="The code in the mail"
            mono
            value={code}
            onChange={setCode}
            maxLength={16}
            isDisabled={proved !== undefined}
            help={proved ? 'The code is right.' : 'It is mailed whether or not a user has the address.'}
          />
          <Button type="submit" kind="primary" isDisabled={off || (!proved && code.trim() === '')}>
            {label} with the code
          </Button>
        </form>
      )}
      {failure !== undefined && <Failure error={failure} doing={mailed ? 'Checking the code' : 'Mailing a code'} />}
    </>
  );
}

function ByProvider({ busy, label, onProof }: Props) {
  const { works, failure, run } = useWork();
  const waits = useRef<AbortController>(null);
  useEffect(() => () => waits.current?.abort(), []);
  const press = () =>
    run(async () => {
      waits.current = new AbortController();
      onProof(await proveAtProvider(waits.current.signal));
    });
  return (
    <>
      <Button isDisabled={busy || works} onPress={() => void press()}>
        {label} at {providerHost()}
      </Button>
      {works && (
        <p role="status">
          The provider has a window of its own. <Button onPress={() => waits.current?.abort()}>Wait no more</Button>
        </p>
      )}
      {failure !== undefined && <Failure error={failure} doing="Signing in at the provider" />}
    </>
  );
}
