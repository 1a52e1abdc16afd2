/** The console signs out by deleting its session's key. A list says so, in place of what it does to keys. */
import type { Review } from '../../../review/types.ts';
import type { Vote } from '../service/types.ts';

type Sender = Pick<Vote, 'userId'> & { user: { userName: string; apiKeys: readonly { apiKeyId: string }[] } };

/** A user deletes sessions of their own. The service lists the lasting keys of a sender, and no sessions. */
function isSignOut({ kind, parameters: { userId, apiKeyIds } }: Pick<Review, 'kind' | 'parameters'>, sender: Sender): boolean {
  if (kind !== 'DELETE_API_KEYS' || userId !== sender.userId || sender.user.userName === '') return false;
  const lasting = new Set(sender.user.apiKeys.map(({ apiKeyId }) => apiKeyId));
  return Array.isArray(apiKeyIds) && apiKeyIds.length > 0 && !apiKeyIds.some((id) => lasting.has(String(id)));
}

export const titleOf = (review: Pick<Review, 'kind' | 'parameters' | 'title'>, sender: Sender | undefined): string =>
  sender !== undefined && isSignOut(review, sender) ? 'Sign out (the session’s key was deleted)' : review.title;
