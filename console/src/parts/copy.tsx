/** A copy button says whether it copied. */
import { useState } from 'react';
import { Button } from './button.tsx';

const SAYS_MS = 2000;

export function Copy({ text, what }: { text: string; what: string }) {
  const [said, setSaid] = useState('');
  const copy = async () => {
    const done = await navigator.clipboard.writeText(text).then(
      () => 'Copied',
      () => 'Not copied: the browser refused',
    );
    setSaid(done);
    setTimeout(() => setSaid(''), SAYS_MS);
  };
  return (
    <span className="copy">
      <Button kind="quiet" onPress={copy} aria-label={`Copy ${what}`}>
        Copy
      </Button>
      <span role="status" className="dim">
        {said}
      </span>
    </span>
  );
}
