/** What holds now, as the service says. It shows what a change of policies or of the root quorum would change. */
import type { Now, Review } from '../../../review/types.ts';
import { read } from '../service/read.ts';
import type { User } from '../service/types.ts';
import type { Session } from '../session/state.ts';

/** Of each kind. A larger change shows the others without what holds now. */
const MOST = 20;

const textsOf = (value: unknown): string[] =>
  (Array.isArray(value) ? value : [value]).filter((one) => typeof one === 'string' && one !== '').slice(0, MOST);

/** What cannot be read, such as a policy that was deleted, is left out. */
async function found<T>(asked: readonly Promise<T>[]): Promise<T[]> {
  const settled = await Promise.allSettled(asked);
  return settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
}

async function policiesOf(session: Session, { parameters }: Review): Promise<Now> {
  const ids = [...textsOf(parameters.policyId), ...textsOf(parameters.policyIds)];
  type Answer = { policy: { policyId: string } };
  const answers = await found(ids.map((policyId) => read<Answer>(session, 'get_policy', { policyId })));
  return { policies: answers.map(({ policy }) => policy) };
}

async function quorumOf(session: Session, { parameters }: Review): Promise<Now> {
  type Answer = { configs: { quorum: NonNullable<Now['rootQuorum']> } };
  const [answer] = await found([read<Answer>(session, 'get_organization_configs')]);
  const quorum = answer?.configs.quorum;
  const ids = new Set([...textsOf(parameters.userIds), ...(quorum?.userIds ?? [])].slice(0, MOST));
  const users = await found([...ids].map((userId) => read<{ user: User }>(session, 'get_user', { userId })));
  return { users: users.map(({ user }) => user), ...(quorum === undefined ? {} : { rootQuorum: quorum }) };
}

export async function nowOf(session: Session, review: Review): Promise<Now | undefined> {
  if (/^(UPDATE|DELETE)_POLIC/.test(review.kind)) return policiesOf(session, review);
  return review.kind === 'UPDATE_ROOT_QUORUM' ? quorumOf(session, review) : undefined;
}
