import { identityDigest } from '../../model/oauth-provider.ts';
import { digest, id, int, nullable, text } from '../columns.ts';
import { table } from '../table.ts';

export const oauthProviders = table(
  'oauth_providers',
  {
    organizationId: id(),
    id: id(),
    /** The organization's parent, for the parent's search over its sub-organizations. */
    parentId: nullable(id()),
    userId: id(),
    name: text(),
    issuer: text(),
    audience: text(),
    subject: text(),
    createdAt: int(),
    updatedAt: int(),
  },
  {
    /** For look-ups by issuer, audience and subject. */
    identity: { column: digest(), from: identityDigest },
  },
);
