/** Queries of the signed-in person, kept and refreshed by React Query. */
import { QueryClient, type UseQueryOptions, type UseQueryResult, useQuery } from '@tanstack/react-query';
import { endSession, type Session, signedIn, useSession, useSessionState } from '../session/state.ts';
import { query } from './call.ts';
import { endsSession, isRemoval, ServiceError } from './errors.ts';
import { byKey } from './stamps.ts';

/** An organization below may not know the key. So the person's own one says whether the session has ended. */
async function noteRefusal(session: Session, error: unknown): Promise<void> {
  const own = signedIn(session);
  if (own?.organizationId === session.organizationId) endSession(own, isRemoval(error));
  else if (own) await read(own, 'whoami').catch(() => {});
}

/** A refused session ends: a dialog above the page asks to sign in again. Throws ServiceError. */
export async function read<T>(session: Session, name: string, parameters: object = {}): Promise<T> {
  try {
    return await query<T>(byKey(session.key), name, { organizationId: session.organizationId, ...parameters });
  } catch (error) {
    if (endsSession(error)) await noteRefusal(session, error);
    throw error;
  }
}

/** The same question may be answered later. */
export const isPassing = (error: unknown): boolean =>
  error instanceof ServiceError && (error.status === 0 || error.status === 429 || error.status >= 500);

export const client = new QueryClient({
  defaultOptions: { queries: { retry: (count, error) => count < 2 && isPassing(error), staleTime: 5000 } },
});

/** The start of a query's key: what one person reads is not shown to another. */
export const readerOf = ({ organizationId, userId }: Session): string => `${organizationId} ${userId}`;

type Options<T> = Omit<UseQueryOptions<T>, 'queryKey' | 'queryFn'>;

export function useRead<T>(name: string, parameters: object = {}, options: Options<T> = {}): UseQueryResult<T> {
  const session = useSession();
  const { status } = useSessionState();
  return useQuery<T>({
    ...options,
    queryKey: [readerOf(session), name, parameters],
    queryFn: () => read<T>(session, name, parameters),
    enabled: status === 'in' && options.enabled !== false,
  });
}
