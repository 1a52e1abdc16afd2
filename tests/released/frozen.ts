/** What a released version left, and what of it every later version must still read. `freeze.ts` writes it, and `released.test.ts` reads it. */
import type { Client, Keys } from '../support/client.ts';

/** A root user of an organization. */
export type Holder = { organizationId: string; keys: Keys };

/** An activity as `get_activity` showed it to the holder. */
export type ShownActivity = { holder: number; id: string; shown: string };

/** A signature that is the same each time. */
export type FixedSignature = { holder: number; signWith: string; r: string; s: string; v: string };

export type Frozen = {
  version: string;
  holders: Holder[];
  activities: ShownActivity[];
  signatures: FixedSignature[];
};

const PAYLOAD = Buffer.from('Countersign').toString('hex');

/** Undefined if the key does not sign. */
export async function signatureOf(client: Client, signWith: string): Promise<Pick<FixedSignature, 'r' | 's' | 'v'> | undefined> {
  const parameters = {
    signWith,
    payload: PAYLOAD,
    encoding: 'PAYLOAD_ENCODING_HEXADECIMAL',
    hashFunction: 'HASH_FUNCTION_NOT_APPLICABLE',
  };
  const sha = { ...parameters, hashFunction: 'HASH_FUNCTION_SHA256' };
  const plain = await client.submit('SIGN_RAW_PAYLOAD_V2', parameters);
  const { body } = plain.status === 200 ? plain : await client.submit('SIGN_RAW_PAYLOAD_V2', sha);
  const signed = body.activity?.result.signRawPayloadResult;
  if (signed === undefined) return undefined;
  const { r, s, v } = signed;
  return { r, s, v };
}

export async function shownActivity(client: Client, activityId: string): Promise<string> {
  const { status, text } = await client.query('get_activity', { activityId });
  if (status !== 200) throw new Error(`${activityId}: ${text}`);
  return text;
}
