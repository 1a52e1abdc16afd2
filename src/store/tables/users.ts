import type { UserVersion } from '../../model/user.ts';
import { int, json, nullable, text } from '../columns.ts';
import { table } from '../table.ts';

export const users = table(
  'users',
  {
    organizationId: text(),
    id: text(),
    /** Of the organization: a parent looks its sub-organizations up by what they hold. */
    parentId: nullable(text()),
    name: text(),
    email: nullable(text()),
    phone: nullable(text()),
    /** Raised with every change to the user or to what is shown with it. */
    version: int(),
    createdAt: int(),
    updatedAt: int(),
  },
  {
    /** For look-ups. */
    emailKey: { column: nullable(text()), from: ({ email }) => email?.toLowerCase() ?? null },
  },
);

/** Users as they were, up to a change: what votes of that version show. */
export const userVersions = table('user_versions', {
  organizationId: text(),
  userId: text(),
  version: int(),
  content: json<UserVersion>(),
});
