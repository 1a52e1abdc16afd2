/** The console signs out by deleting its session's key. Once it is deleted, a session's key looks like any other. */
import type { Review } from '../../../review/types.ts';

export function titleOf(
  { kind, parameters, title }: Pick<Review, 'kind' | 'parameters' | 'title'>,
  senderId: string | undefined,
): string {
  return kind === 'DELETE_API_KEYS' && parameters.userId === senderId ? 'Delete own API keys, as a sign-out does' : title;
}
