import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { envelope } from '../../../src/custody/envelope.ts';
import { openMasterKeys } from '../../../src/custody/masters.ts';
import { fileRoot } from '../../../src/custody/roots/file.ts';
import { vault } from '../../../src/custody/vault.ts';
import { payloadOf } from '../../../src/engine/activity/sealed.ts';
import type { Instance } from '../../support/instance.ts';

/** What the mail of an invitation says. */
export type Mail = {
  template: 'invitation';
  to: string;
  invitationId: string;
  userName: string;
  senderName: string;
  organizationName: string;
  link: string;
  expiresAt: number;
};

export type Link = {
  organizationId: string;
  invitationId: string;
  userId: string;
  organizationName: string;
  email: string;
  secret: string;
};

export const linkOf = ({ link }: Mail): Link => Object.fromEntries(new URLSearchParams(new URL(link).hash.slice(1))) as Link;

/** The mails that wait, opened with the root key, as the process that sends them does. */
export async function mailsOf({ dataDir, raw }: Pick<Instance, 'dataDir' | 'raw'>): Promise<Mail[]> {
  const [row] = await raw('SELECT version, root_id, wrapped FROM master_keys');
  const root = fileRoot(join(dataDir, 'root.key'), randomBytes);
  const wrapped = [
    { version: Number(row!.version), rootId: String(row!.root_id), wrapped: row!.wrapped as Buffer, retired: false },
  ];
  const keys = vault(envelope(await openMasterKeys(root, wrapped), randomBytes), randomBytes, {} as never);
  const rows = await raw(`SELECT id, organization_id, payload FROM outbox WHERE topic = 'mail' ORDER BY id`);
  return rows.map((one) =>
    payloadOf(keys, { id: String(one.id), organizationId: String(one.organization_id), payload: String(one.payload) }),
  ) as Mail[];
}

export const invitation = (name: string, senderUserId: string, more: object = {}) => ({
  receiverUserName: name,
  receiverUserEmail: `${name.toLowerCase().replaceAll(' ', '.')}@example.com`,
  receiverUserTags: [],
  accessType: 'ACCESS_TYPE_WEB',
  senderUserId,
  ...more,
});
