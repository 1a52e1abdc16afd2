/** The window that comes back from an OpenID provider. It needs no service, and keeps nothing. */
import { useEffect, useState } from 'react';
import { handOver, type Returned } from '../session/provider.ts';

export function SignedInPage({ returned }: { returned: Returned }) {
  const [taken, setTaken] = useState(false);
  useEffect(
    () =>
      handOver(returned, () => {
        setTaken(true);
        window.close();
      }),
    [returned],
  );
  return (
    <main className="narrow card">
      <h1>{taken ? 'Close this window' : 'No page waits for this sign-in'}</h1>
      <p>{taken ? 'The page that asked goes on.' : 'It was closed, or waited too long. Start again in the console.'}</p>
      <p>
        <a href="/console/">The console</a>
      </p>
    </main>
  );
}
