import { Lru } from '../../base/lru.ts';
import { topLevelIdOf } from '../../model/organization.ts';
import { builtInProfile, ENROL_PROFILE, READ_PROFILE } from '../../model/session-profile.ts';
import { type CompiledExpression, evaluateExpression, withoutPolicies } from '../../policy/index.ts';
import type { Reader } from '../../store/types.ts';
import type { ResolvedActivity } from '../activity/decode.ts';
import type { Caller } from '../context.ts';
import type { PolicyCompiler } from '../policy-compiler.ts';
import type { Log } from '../ports.ts';
import { type Decision, elementsOf } from './authorize.ts';

type Session = Pick<Caller, 'organization' | 'credential'>;

/** What built-in profiles demand beside their scope: no expression can name the session's own user and key. */
const DEMANDS: Readonly<Record<string, (session: Session, intent: never) => boolean>> = {
  [READ_PROFILE.id]: ({ credential }, { userId, apiKeyIds }: { userId: string; apiKeyIds: readonly string[] }) =>
    userId === credential.userId && apiKeyIds.every((id) => id === credential.id),
  [ENROL_PROFILE.id]: ({ credential }, { userId, authenticators }: { userId: string; authenticators: readonly unknown[] }) =>
    userId === credential.userId && authenticators.length === 1,
};

/**
 * Judges a session's activity by the scope of its profile, before policies are evaluated. The scope can only narrow what
 * policies allow. Undefined if the scope allows it, or the credential has no profile.
 */
export type SessionScopes = (read: Reader, session: Session, activity: ResolvedActivity) => Promise<Decision | undefined>;

/** A scope in memory. A profile never changes, so its scope is kept without a version. */
type Scope = { expression: CompiledExpression | undefined; bytes: number };

/** The advice for a refused approval. */
const APPROVALS = ' allow this approval: it must allow APPROVE_ACTIVITY and, beside vote.selection, the approved activity';

/** Estimated in the same way as those of policies. */
const BYTES = { scope: 500, character: 40 };
const MOST_BYTES = 16_000_000;

export function sessionScopes(compiler: PolicyCompiler, log: Log, most = MOST_BYTES): SessionScopes {
  const kept = new Lru<Scope>(most, ({ bytes }) => bytes);

  async function scopeOf(read: Reader, organizationId: string, id: string): Promise<Scope | undefined> {
    const known = kept.get(id);
    if (known !== undefined) return known;
    const profile = builtInProfile(id) ?? (await read.sessionProfiles.get(organizationId, id));
    if (profile === undefined) return undefined;
    const expression = compiler.compileScope(profile.scope);
    if (expression === undefined)
      log.error({ organizationId, sessionProfileId: id }, 'the scope of a session profile does not compile: it allows nothing');
    const scope = { expression, bytes: BYTES.scope + BYTES.character * profile.scope.length };
    kept.set(id, scope);
    return scope;
  }

  return async (read, session, activity) => {
    const { organization, credential } = session;
    const { sessionProfileId } = credential;
    if (!sessionProfileId) return undefined;
    const expression = (await scopeOf(read, topLevelIdOf(organization), sessionProfileId))?.expression;
    const demand = DEMANDS[sessionProfileId];
    const allows = expression !== undefined && (await allowsAll(expression, activity));
    if (allows && (demand === undefined || demand(session, activity.intent as never))) return undefined;
    return {
      ...withoutPolicies('OUTCOME_DENY_IMPLICIT'),
      builtIn: `No policies evaluated to outcome: Allow, because the scope of the session's profile ${sessionProfileId} does not${activity.approved ? APPROVALS : ''}`,
    };
  };
}

/** A batch is allowed if each of its elements is. A failed evaluation counts as false. */
async function allowsAll(expression: CompiledExpression, activity: ResolvedActivity): Promise<boolean> {
  const elements = await elementsOf(activity);
  return elements.every((element) => {
    const judged = evaluateExpression(expression, element);
    return judged.ok && judged.value;
  });
}
