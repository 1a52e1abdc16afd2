/** What the service says beside a signed body: names of functions, what holds now, and what policies see. It decides nothing of a review. */
import { isObject } from '../src/base/json.ts';
import type { ServiceElement } from './compare-elements.ts';
import { listOf, member } from './parts.ts';
import type { Now, Review, ReviewOptions } from './types.ts';

type Answer = { readonly [member: string]: unknown };

/** A query of the service. It rejects where the service does not say it. */
export type Ask = (name: string, parameters: object) => Promise<Answer>;

/** `missing`: what could not be read, in words. */
export type Said = { options: ReviewOptions; elements: readonly ServiceElement[]; missing: readonly string[] };

/** Of each kind. A larger change shows the others without what holds now. */
const MOST = 50;

const objects = (value: unknown): readonly Answer[] => (Array.isArray(value) ? value.filter(isObject) : []);

const texts = (values: readonly unknown[]): string[] => [
  ...new Set(values.filter((value): value is string => typeof value === 'string' && value !== '')),
];

/** Asks, and keeps what is missing in mind. */
function asking(ask: Ask) {
  const missing = new Set<string>();
  const lacks = (what: string) => void missing.add(`${what} could not be read`);
  const asked = async (what: string, name: string, parameters: object = {}): Promise<Answer> => {
    try {
      return await ask(name, parameters);
    } catch {
      lacks(what);
      return {};
    }
  };
  return { missing, lacks, asked };
}

type Asking = ReturnType<typeof asking>;

const NOW = 'what holds now';

/** By the contract's address. */
async function interfacesOf({ asked }: Asking): Promise<Map<string, string>> {
  const answer = await asked('the interfaces of contracts', 'list_smart_contract_interfaces');
  return new Map(
    objects(answer.smartContractInterfaces).flatMap(
      ({ smartContractAddress: address, smartContractInterface: text }): [string, string][] =>
        typeof address === 'string' && typeof text === 'string'
          ? [[address.startsWith('0x') ? address.toLowerCase() : address, text]]
          : [],
    ),
  );
}

async function policiesOf({ asked, lacks }: Asking, { parameters }: Review): Promise<Now> {
  const ids = texts([member(parameters, 'policyId'), ...listOf(parameters, 'policyIds')]);
  const answers = await Promise.all(ids.slice(0, MOST).map((policyId) => asked(NOW, 'get_policy', { policyId })));
  const policies = answers.flatMap(({ policy }) => (isObject(policy) ? [policy as { policyId: string }] : []));
  if (policies.length < ids.length) lacks(NOW);
  return { policies };
}

async function quorumOf({ asked, lacks }: Asking, { parameters }: Review): Promise<Now> {
  const { configs } = await asked(NOW, 'get_organization_configs');
  const quorum = isObject(configs) ? configs.quorum : undefined;
  const rootQuorum = isObject(quorum) && Array.isArray(quorum.userIds) ? (quorum as NonNullable<Now['rootQuorum']>) : undefined;
  if (rootQuorum === undefined) lacks(NOW);
  const ids = texts([...listOf(parameters, 'userIds'), ...(rootQuorum?.userIds ?? [])]).slice(0, MOST);
  const answers = await Promise.all(ids.map((userId) => asked('the name of a user', 'get_user', { userId })));
  const users = answers.flatMap(({ user }) =>
    isObject(user) && typeof user.userId === 'string' && typeof user.userName === 'string'
      ? [{ userId: user.userId, userName: user.userName }]
      : [],
  );
  return { users, ...(rootQuorum && { rootQuorum }) };
}

async function optionsOf(asker: Asking, review: Review): Promise<ReviewOptions> {
  if (/^(?:SIGN_|ETH_|SOL_)/.test(review.kind)) return { contractInterfaces: await interfacesOf(asker) };
  if (/^(?:UPDATE|DELETE)_POLIC/.test(review.kind)) return { now: await policiesOf(asker, review) };
  return review.kind === 'UPDATE_ROOT_QUORUM' ? { now: await quorumOf(asker, review) } : {};
}

/** `review`: of the body alone. */
export async function saidOf(review: Review, activityId: string, ask: Ask): Promise<Said> {
  const asker = asking(ask);
  const options = await optionsOf(asker, review);
  const answer = review.elements.length > 0 ? await asker.asked('what policies see', 'review_activity', { activityId }) : {};
  const elements = objects(answer.elements).map(({ roots }) => ({ roots: objects(roots) as unknown as ServiceElement['roots'] }));
  return { options, elements, missing: [...asker.missing] };
}
