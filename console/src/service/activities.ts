/** Activities: what changes something, each stamped by itself. */
import { post, type Stamper, serviceNow } from './call.ts';
import type { Activity } from './types.ts';

let last = 0;

/** No two bodies of this page are the same by accident. */
function timestamp(): string {
  last = Math.max(last + 1, Math.floor(serviceNow()));
  return String(last);
}

/** `type` without ACTIVITY_TYPE_. */
export const bodyOf = (organizationId: string, type: string, parameters: object): string =>
  JSON.stringify({ type: `ACTIVITY_TYPE_${type}`, timestampMs: timestamp(), organizationId, parameters });

const pathOf = (type: string): string => `/public/v1/submit/${type.replace(/_V\d+$/, '').toLowerCase()}`;

/** Sends a stamped body. The same body again is the same activity: after a lost answer it can be sent once more. */
export async function submitBody(type: string, body: string, headers: Record<string, string>): Promise<Activity> {
  return ((await post(pathOf(type), body, headers)) as { activity: Activity }).activity;
}

/** `signal`: nothing is sent once it is aborted. A request that is on its way is not called back. */
export async function submit(
  stamp: Stamper,
  organizationId: string,
  type: string,
  parameters: object,
  signal?: AbortSignal,
): Promise<Activity> {
  const body = bodyOf(organizationId, type, parameters);
  const headers = await stamp(body, signal);
  signal?.throwIfAborted();
  return submitBody(type, body, headers);
}

/** The one member of a result, whatever version it is of. */
export function resultOf<T>({ result }: Activity): T {
  const [value] = Object.entries(result)
    .filter(([name]) => name !== 'activity')
    .map(([, inner]) => inner);
  return value as T;
}
