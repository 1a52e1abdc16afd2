import { useTitle } from '../app/title.ts';
import { client } from '../service/read.ts';
import { SignInForm } from '../session/sign-in-form.tsx';

/** It is drawn in place of the page that was asked for, so a link leads on afterwards. */
export function SignInPage() {
  useTitle('Sign in');
  return (
    <div className="narrow card">
      <h1>Sign in</h1>
      <SignInForm onDone={() => void client.invalidateQueries()} />
    </div>
  );
}
