import { type StampKey, verifyStamp } from './stamp.ts';

/** At most this many are verified on the main thread. Waking a thread of the pool costs as much as one or two verifications. */
const FEW = 2;

type Waiting = { key: StampKey; body: Buffer; signature: Buffer; resolve(valid: boolean): void };

function inPool({ key, body, signature, resolve }: Waiting): void {
  try {
    key.verifyInPool!(body, signature, resolve);
  } catch {
    resolve(false);
  }
}

/**
 * The same as verifyStamp where there are other requests, without blocking the event loop for long. Stamps that arrive in one turn
 * of the event loop go to the thread pool together. Sent one after the other, each of them would wake a thread. Never throws or
 * rejects.
 */
export function burstVerifier(): (key: StampKey, body: Buffer, signature: Buffer) => boolean | Promise<boolean> {
  let burst: Waiting[] = [];

  function verifyBurst(): void {
    const all = burst;
    burst = [];
    if (all.length > FEW) for (const each of all) inPool(each);
    else for (const { key, body, signature, resolve } of all) resolve(verifyStamp(key, body, signature));
  }

  return (key, body, signature) => {
    if (key.verifyInPool === undefined) return verifyStamp(key, body, signature);
    return new Promise((resolve) => {
      burst.push({ key, body, signature, resolve });
      if (burst.length === 1) setImmediate(verifyBurst);
    });
  };
}
