/** The part after `#` of an enrol link: a key that may add one passkey to its user. No request has it. */
import { fromBase64Url } from '../../../src/base/bytes.ts';

export type EnrolLink = { organizationId: string; userId: string; secret: Uint8Array };

let link: EnrolLink | undefined;

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const SECRET_BYTES = 32;

function parsed(fragment: string): EnrolLink | undefined {
  const bytes = fragment === '' ? undefined : fromBase64Url(fragment);
  if (bytes === undefined) return undefined;
  try {
    const { organizationId, userId, apiPrivateKey } = JSON.parse(new TextDecoder().decode(bytes)) as Record<string, string>;
    const secret = Uint8Array.from((apiPrivateKey ?? '').match(/[0-9a-f]{2}/gi) ?? [], (pair) => Number.parseInt(pair, 16));
    const valid = UUID.test(organizationId ?? '') && UUID.test(userId ?? '') && secret.length === SECRET_BYTES;
    return valid ? { organizationId: organizationId!, userId: userId!, secret } : undefined;
  } catch {
    return undefined;
  }
}

const isEnrol = (): boolean => location.pathname.endsWith('/enrol');

/** Takes the fragment out of the address, also when another link is pasted into the tab. */
export function takeEnrolLink(): void {
  addEventListener('hashchange', () => {
    const fragment = location.hash.slice(1);
    // Others lead to a part of the page.
    if (isEnrol() && fragment !== '' && document.getElementById(fragment) === null) location.reload();
  });
  if (!isEnrol() || location.hash === '') return;
  link = parsed(location.hash.slice(1));
  history.replaceState(null, '', location.pathname);
}

/** For one use. */
export function givenLink(): EnrolLink | undefined {
  return link;
}

export function dropLink(): void {
  link = undefined;
}
