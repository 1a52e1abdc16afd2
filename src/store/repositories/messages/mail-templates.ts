import type { MailTemplate } from '../../../model/message.ts';
import { type Conn, statement } from '../../statement.ts';
import { values } from '../../table.ts';
import { mailTemplates } from '../../tables/mail-templates.ts';

/** Maximum number of templates of an organization, because each look-up of the newest reads them all. */
export const MOST_TEMPLATES = 100;

const WITHOUT_TEXT = ['id', 'name', 'uses', 'created_at as createdAt'] as const;

const get = statement((db, p: { org: string; id: string }) =>
  db.selectFrom('mail_templates').select(mailTemplates.all).where('organization_id', '=', p.org).where('id', '=', p.id),
);
const all = statement((db, p: { org: string; most: number }) =>
  db
    .selectFrom('mail_templates')
    .select(WITHOUT_TEXT)
    .where('organization_id', '=', p.org)
    .orderBy('organization_id', 'desc')
    .orderBy('id', 'desc')
    .limit(p.most),
);
const insert = statement((db, p: MailTemplate) => db.insertInto('mail_templates').values(values(mailTemplates, p)));
const remove = statement((db, p: { org: string; id: string }) =>
  db.deleteFrom('mail_templates').where('organization_id', '=', p.org).where('id', '=', p.id),
);

export type ListedTemplate = Omit<MailTemplate, 'organizationId' | 'html'>;

export const mailTemplateReads = (conn: Conn) => ({
  async get(org: string, id: string): Promise<MailTemplate | undefined> {
    return get.first(conn, { org, id });
  },
  /** All templates of an organization, newest first. */
  async ofOrganization(org: string): Promise<ListedTemplate[]> {
    return all.all(conn, { org, most: MOST_TEMPLATES });
  },
});

export const mailTemplateWrites = (conn: Conn) => ({
  async insert(template: MailTemplate): Promise<void> {
    await insert.run(conn, template);
  },
  /** False if there is no such template. */
  async remove(org: string, id: string): Promise<boolean> {
    return (await remove.run(conn, { org, id })) === 1;
  },
});
