import { systemRandom } from '../base/random.ts';
import { ENROL_PROFILE } from '../model/session-profile.ts';
import { type Credentials, post, type Reply } from './client.ts';
import { newStampKeys } from './stamp.ts';

const LOGIN = { type: 'ACTIVITY_TYPE_STAMP_LOGIN', path: '/public/v1/submit/stamp_login' };

/** `link`: holds a private key after its `#`, which no request carries. `isWaiting`: other users must approve first. */
export type EnrolLink = { link: string; organizationId: string; userId: string; activityId: string; isWaiting: boolean };

type Client = Credentials & { baseUrl: string; organizationId: string };

/** The part after `#`: base64url of JSON. docs/login/session-profiles.md has the form. */
const fragmentOf = (content: object): string => Buffer.from(JSON.stringify(content)).toString('base64url');

/** Logs a new key in under the profile *enrol*, and makes a link of it. `page`: the address that links begin with. */
export async function enrolLink(client: Client, page: string, now: number): Promise<{ reply: Reply } | EnrolLink> {
  const { apiPublicKey, apiPrivateKey } = newStampKeys('API_KEY_CURVE_P256', systemRandom);
  const parameters = { publicKey: apiPublicKey, sessionProfileId: ENROL_PROFILE.id };
  const body = { type: LOGIN.type, timestampMs: String(now), organizationId: client.organizationId, parameters };
  const reply = await post(client, LOGIN.path, JSON.stringify(body));
  if (reply.status >= 400) return { reply };
  const { activity } = JSON.parse(reply.text) as {
    activity: { id: string; organizationId: string; status: string; votes: { userId: string }[] };
  };
  const { id: activityId, organizationId, status, votes } = activity;
  const userId = votes[0]!.userId;
  const link = `${page}#${fragmentOf({ organizationId, userId, apiPublicKey, apiPrivateKey })}`;
  return { link, organizationId, userId, activityId, isWaiting: status !== 'ACTIVITY_STATUS_COMPLETED' };
}

/** Where the page is that takes such links. */
export const enrolPage = (baseUrl: string): string => `${baseUrl}/console/enrol`;
