import type { TokenUse } from '../../model/token.ts';
import { id, int, text } from '../columns.ts';
import { table } from '../table.ts';

/** The uses of verification tokens. They are kept until some time after the token expires. */
export const tokenUses = table('token_uses', {
  /** The organization that issued the token. */
  organizationId: id(),
  tokenId: id(),
  purpose: text<TokenUse['purpose']>(),
  expiresAt: int(),
});
