/** The mail of an invitation. */
export type Mail = { to: string; subject: string; text: string; html: string; link: string };

export type Link = {
  organizationId: string;
  invitationId: string;
  userId: string;
  organizationName: string;
  email: string;
  secret: string;
};

export const linkOf = ({ link }: Pick<Mail, 'link'>): Link =>
  Object.fromEntries(new URLSearchParams(new URL(link).hash.slice(1))) as Link;

type Kept = { messages: Omit<Mail, 'link'>[] };

/** The invitations that a service with DEV_OUTBOX=1 did not send, in the order of their mails. */
export async function mailsOf({ url }: { url: string }): Promise<Mail[]> {
  const { messages } = (await (await fetch(`${url}/dev/outbox`)).json()) as Kept;
  return messages.reverse().flatMap((mail) => {
    const [link] = /^https?:\S+\/accept-invitation#\S+$/m.exec(mail.text) ?? [];
    return link === undefined ? [] : [{ ...mail, link }];
  });
}

export const invitation = (name: string, senderUserId: string, more: object = {}) => ({
  receiverUserName: name,
  receiverUserEmail: `${name.toLowerCase().replaceAll(' ', '.')}@example.com`,
  receiverUserTags: [],
  accessType: 'ACCESS_TYPE_WEB',
  senderUserId,
  ...more,
});
