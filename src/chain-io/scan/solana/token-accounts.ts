import { associatedTokenAccount } from '../../../chains/solana/token-accounts.ts';
import { TOKEN, TOKEN_2022 } from '../../../chains/solana/transfers.ts';

/** Some hundred bytes each. To derive an account takes about a tenth of a millisecond. */
const MOST_KEPT = 20_000;

/** The associated token accounts of an owner, for each mint and both token programs. */
export type TokenAccounts = (owner: string) => readonly string[];

export function tokenAccounts(mints: readonly string[]): TokenAccounts {
  const kept = new Map<string, readonly string[]>();
  return (owner) => {
    const known = kept.get(owner);
    if (known !== undefined) return known;
    const made = mints.flatMap((mint) => [TOKEN, TOKEN_2022].map((program) => associatedTokenAccount(owner, mint, program)));
    if ((kept.size + 1) * made.length > MOST_KEPT) kept.clear();
    kept.set(owner, made);
    return made;
  };
}
