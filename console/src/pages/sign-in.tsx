import { useTitle } from '../app/title.ts';
import { Notice } from '../parts/notice.tsx';
import { client } from '../service/read.ts';
import { SignInForm } from '../session/sign-in-form.tsx';
import { useSessionState } from '../session/state.ts';

/** It is drawn in place of the page that was asked for, so a link leads on afterwards. */
export function SignInPage() {
  useTitle('Sign in');
  const state = useSessionState();
  const note = 'note' in state ? state.note : undefined;
  return (
    <div className="narrow card">
      <h1>Sign in</h1>
      {note && <Notice level="amber" title={note} />}
      <SignInForm onDone={() => void client.invalidateQueries()} />
    </div>
  );
}
