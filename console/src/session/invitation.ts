/** What a mailed link has after `#`: whom it invites, and a secret that is the challenge of one passkey. No request has it but the last. */
import { UUID_TEXT } from '../../../src/base/uuid.ts';

export type Invitation = {
  organizationId: string;
  invitationId: string;
  userId: string;
  secret: string;
  /** Words of the link, which prove nothing. */
  organizationName: string;
  email: string;
};

let invitation: Invitation | undefined;

const UUID = new RegExp(`^${UUID_TEXT}$`, 'i');

function parsed(fragment: string): Invitation | undefined {
  const given = new URLSearchParams(fragment);
  const of = (name: keyof Invitation) => given.get(name) ?? '';
  const ids = { organizationId: of('organizationId'), invitationId: of('invitationId'), userId: of('userId') };
  const isWhole = Object.values(ids).every((id) => UUID.test(id)) && of('secret') !== '';
  return isWhole ? { ...ids, secret: of('secret'), organizationName: of('organizationName'), email: of('email') } : undefined;
}

const isJoin = (): boolean => location.pathname.endsWith('/join');

/** Takes the fragment out of the address, also when another link is pasted into the tab. */
export function takeInvitation(): void {
  addEventListener('hashchange', () => {
    if (isJoin() && location.hash.length > 1 && parsed(location.hash.slice(1))) location.reload();
  });
  if (!isJoin() || location.hash === '') return;
  invitation = parsed(location.hash.slice(1));
  history.replaceState(null, '', location.pathname);
}

export const givenInvitation = (): Invitation | undefined => invitation;

export function dropInvitation(): void {
  invitation = undefined;
}
