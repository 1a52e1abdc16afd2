import { id, int, json, text } from '../columns.ts';
import { table } from '../table.ts';

/** Stored HTML templates of mails. */
export const mailTemplates = table('mail_templates', {
  organizationId: id(),
  id: id(),
  name: text(),
  html: text(),
  uses: json<readonly string[]>(),
  createdAt: int(),
});
