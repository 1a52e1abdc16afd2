/** What webhooks cost an organization without endpoints, as `--only=webhooks-unused`. One of two services has 1,000 endpoints of others. */
import { measurePair, PAIR_CONCURRENCY, type PairFigures, type PairOptions, pairLine } from '../pairs.ts';
import { readCredentials } from '../stamp.ts';
import type { Servers } from '../types.ts';
import { createEndpoints, createSigners } from './organizations.ts';

export type UnusedFigures = PairFigures & { operation: 'sign_raw_payload without endpoints'; endpoints: number };

const ENDPOINTS = 2;
const MOST_LOSS = 1.03;
/** Nothing is sent there: these organizations do not sign. */
const NOWHERE = 9;
const TYPES = ['ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2'];

const namesOf = (endpoints: number) => ['no endpoints', `${endpoints} endpoints of others`] as const;

export async function measureUnused(options: PairOptions & { quick: boolean }): Promise<UnusedFigures> {
  const organizations = options.quick ? 50 : 500;
  const endpoints = organizations * ENDPOINTS;
  const signersOf = ({ ports, credentialsFile }: Servers) =>
    createSigners(ports[0]!, readCredentials(credentialsFile), organizations);
  const figures = await measurePair(options, {
    names: namesOf(endpoints),
    env: { OUTBOUND_ALLOW: `127.0.0.1:${NOWHERE}` },
    async prepare(plain, telling) {
      // The same organizations on both sides.
      await signersOf(plain);
      const others = await signersOf(telling);
      await createEndpoints(telling.ports[0]!, others, ENDPOINTS, NOWHERE, TYPES);
    },
  });
  return { operation: 'sign_raw_payload without endpoints', endpoints, ...figures };
}

export function unusedTable({ endpoints, ...figures }: UnusedFigures): string {
  const holds = figures.cpu <= MOST_LOSS;
  if (!holds) process.exitCode = 1;
  return [
    `Signatures of an organization without endpoints (sqlite, ${PAIR_CONCURRENCY} concurrent, ${figures.pairs} pairs of rounds)`,
    '',
    pairLine(figures, namesOf(endpoints)),
    '',
    `${holds ? 'holds' : 'FAILS'}: endpoints of others take at most ${MOST_LOSS} of the processor time of a signature`,
  ].join('\n');
}
