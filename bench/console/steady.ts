/** Signatures at a fixed rate, whatever the time of an answer. */
import { setTimeout as sleep } from 'node:timers/promises';
import { submit } from '../prepare.ts';
import { readCredentials } from '../stamp.ts';
import type { Servers } from '../types.ts';
import { bodyOf, signRawPayload } from '../workloads.ts';

export type Made = { made: number; refused: number };

/** Where to sign, and for whom. */
export type Place = Pick<Servers, 'ports' | 'credentialsFile' | 'signWith'>;

/** Makes activities at a rate, until it is told to end. */
export function producer({ ports, credentialsFile, signWith }: Place, rate: number): { end(): Promise<Made> } {
  const credentials = readCredentials(credentialsFile);
  const began = performance.now();
  let going = true;
  const count: Made = { made: 0, refused: 0 };
  const make = async (i: number) => {
    const body = bodyOf(signRawPayload, credentials.organizationId, signWith, i, Date.now());
    const isMade = await submit(ports[0]!, credentials, signRawPayload.path, body).then(
      () => true,
      () => false,
    );
    count[isMade ? 'made' : 'refused'] += 1;
  };
  const ended = (async () => {
    const running = new Set<Promise<void>>();
    for (let i = 0; going; ) {
      const due = Math.floor(((performance.now() - began) / 1000) * rate);
      for (; i < due && running.size < 2 * rate; i++) {
        const one = make(i).finally(() => running.delete(one));
        running.add(one);
      }
      await sleep(20);
    }
    await Promise.all(running);
    return count;
  })();
  return {
    end() {
      going = false;
      return ended;
    },
  };
}
