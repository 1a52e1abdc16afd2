import { useEffect, useState } from 'react';

const STILL_MS = 500;

/** True once the same thing has been on the screen for a while. A press that was meant for something else does nothing. */
export function useStill(what: string): boolean {
  const [still, setStill] = useState<string>();
  useEffect(() => {
    const timer = setTimeout(() => setStill(what), STILL_MS);
    return () => clearTimeout(timer);
  }, [what]);
  return still === what;
}
