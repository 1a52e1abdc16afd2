import type { Otp } from '../../model/otp.ts';
import { digest, flag, hex, id, int, keyedHash, nullable, sealed, text } from '../columns.ts';
import { table } from '../table.ts';

/** One-time codes. They are kept as long as their initiations count against limits. */
export const otps = table(
  'otps',
  {
    organizationId: id(),
    id: id(),
    use: text<Otp['use']>(),
    type: text<Otp['type']>(),
    contact: text(),
    userIdentifier: nullable(digest()),
    userId: nullable(id()),
    code: nullable(keyedHash()),
    misses: int(),
    targetPublicKey: nullable(hex()),
    targetKey: nullable(sealed()),
    expiresAt: int(),
    createdAt: int(),
    byProxy: flag(),
  },
  {
    /** Emails are counted case-insensitively. */
    contactKey: { column: text(), from: ({ contact }) => contact.toLowerCase() },
  },
);
