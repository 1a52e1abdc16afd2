import { errorsOf } from '../../base/declared-errors.ts';
import { ApiError } from '../../base/errors.ts';
import type { ExecuteContext } from '../../engine/context.ts';
import { isEnrolling } from '../../model/session-profile.ts';

type Ctx = Pick<ExecuteContext<'none'>, 'store' | 'organization' | 'stampedWith' | 'now'>;

/**
 * Ends the session under the profile *enrol* that submitted this activity, in its transaction: one link adds one passkey. The
 * activity may have waited, and another one of the same session may have ended it meanwhile.
 */
export async function endEnrolment({ store, organization: { id }, stampedWith, now }: Ctx): Promise<void> {
  const key = (await store.credentials.get(id, stampedWith)) ?? (await store.credentials.ended(id, stampedWith));
  if (key === undefined || !isEnrolling(key) || (await store.credentials.remove(id, key.id, now))) return;
  throw new ApiError(
    'REQUEST_NOT_AUTHORIZED',
    'request not authorized: the session that submitted this has ended: make another link with ./countersign console',
  );
}
endEnrolment.errors = errorsOf('REQUEST_NOT_AUTHORIZED');
