/** The requests of a workload, each with the name of its stamper. */
import { guestsOf } from './logins.ts';
import { type Credentials, readCredentials } from './stamp.ts';
import type { Workload } from './types.ts';
import { bodyOf, bodyWith } from './workloads.ts';

export type Request = { body: Buffer; stampedBy: Credentials };

/** A request of its own for every `index` and millisecond, to the servers whose credentials this file has. */
export async function requestsOf(
  workload: Workload,
  credentialsFile: string,
  signWith: string,
): Promise<(index: number, timestampMs: number) => Request> {
  const { login } = workload;
  const credentials = readCredentials(credentialsFile);
  const { organizationId } = credentials;
  if (login === undefined)
    return (index, timestampMs) => ({
      body: bodyOf(workload, organizationId, signWith, index, timestampMs),
      stampedBy: credentials,
    });
  const { people, mint } = await guestsOf(credentialsFile);
  return (index, timestampMs) => {
    const person = people[index % people.length]!;
    const body = bodyWith(workload, person.organizationId, timestampMs, login.parameters(person, mint));
    return { body, stampedBy: login.stampedBy === 'person' ? person : credentials };
  };
}
