/** The console signs out by deleting its session's key, one alone. Once it is deleted, a session's key looks like any other. */
import type { Review } from '../../../review/types.ts';

export function titleOf(
  { kind, parameters, title }: Pick<Review, 'kind' | 'parameters' | 'title'>,
  senderId: string | undefined,
): string {
  const { userId, apiKeyIds } = parameters;
  const isOne = Array.isArray(apiKeyIds) && apiKeyIds.length === 1;
  return kind === 'DELETE_API_KEYS' && isOne && userId === senderId ? 'Delete an own API key, as a sign-out does' : title;
}
