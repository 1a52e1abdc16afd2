import type { TokenUse } from '../../model/token.ts';
import { id, int, text } from '../columns.ts';
import { table } from '../table.ts';

/** What verification tokens were used for. Kept until a while after the token expires. */
export const tokenUses = table('token_uses', {
  /** That issued the token. */
  organizationId: id(),
  tokenId: id(),
  purpose: text<TokenUse['purpose']>(),
  expiresAt: int(),
});
