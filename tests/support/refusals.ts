import assert from 'node:assert/strict';
import type { Answer, Client } from './client.ts';

/** A well-formed id that nothing has. */
export const NOBODY = '00000000-0000-7000-8000-000000000001';

/** The answer is an error with this HTTP status, code and text; `field` is the first field that it names. */
export function refused(answer: Answer, [status, code, text]: [number, string, RegExp], field?: string): void {
  assert.equal(answer.status, status, answer.text);
  assert.equal(answer.body.details[0].turnkeyErrorCode, code, answer.text);
  assert.match(answer.body.message, text);
  if (field !== undefined) assert.equal(answer.body.details[1]?.fieldViolations[0].field, field, answer.text);
}

/** The same for a code of our own, which published clients see as UNSPECIFIED. */
export function refusedByOwn(answer: Answer, [status, code, text]: [number, string, RegExp]): void {
  refused(answer, [status, 'UNSPECIFIED', text]);
  assert.equal(answer.body.details.at(-1).code, code, answer.text);
}

/** Bad parameters with the field that is named, and a code other than REQUEST_INVALID. */
export type BadParameters = readonly [parameters: unknown, field: string, text: RegExp, code?: string];

async function refusesAll(send: (parameters: unknown) => Promise<Answer>, cases: readonly BadParameters[]): Promise<void> {
  for (const [parameters, field, text, code = 'REQUEST_INVALID'] of cases)
    refused(await send(parameters), [400, code, text], field);
}

export const refusesEach = (client: Client, type: string, cases: readonly BadParameters[]): Promise<void> =>
  refusesAll((parameters) => client.submit(type, parameters), cases);

export const refusesEachQuery = (client: Client, query: string, cases: readonly BadParameters[]): Promise<void> =>
  refusesAll((parameters) => client.query(query, parameters as object), cases);
