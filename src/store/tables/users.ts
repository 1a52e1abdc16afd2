import type { AccessType, UserVersion } from '../../model/user.ts';
import { flag, id, int, json, nullable, text } from '../columns.ts';
import { table } from '../table.ts';

const emailKey = (email: string | null): string | null => email?.toLowerCase() ?? null;

export const users = table(
  'users',
  {
    organizationId: id(),
    id: id(),
    /** The organization's parent, for the parent's search over its sub-organizations. */
    parentId: nullable(id()),
    name: text(),
    email: nullable(text()),
    phone: nullable(text()),
    accessType: text<AccessType>(),
    emailVerified: flag(),
    phoneVerified: flag(),
    mfaPolicyCount: int(),
    frozen: flag(),
    /** Raised with every change to the visible state of the user. */
    version: int(),
    createdAt: int(),
    updatedAt: int(),
  },
  {
    /** For case-insensitive look-ups. */
    emailKey: { column: nullable(text()), from: ({ email }) => emailKey(email) },
    /** For look-ups among verified contacts. */
    verifiedEmailKey: {
      column: nullable(text()),
      from: ({ email, emailVerified }) => (emailVerified ? emailKey(email) : null),
    },
    verifiedPhone: { column: nullable(text()), from: ({ phone, phoneVerified }) => (phoneVerified ? phone : null) },
  },
);

/** Earlier versions of users, shown with votes that were cast at these versions. */
export const userVersions = table('user_versions', {
  organizationId: id(),
  userId: id(),
  version: int(),
  content: json<UserVersion>(),
});
