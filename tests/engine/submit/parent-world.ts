import { createUserTag } from '../../../src/activities/tags/create-user-tag.ts';
import { newPolicy } from '../../e2e/authority.ts';
import { type Answer, type Client, type Keys, submitPath } from '../../support/client.ts';
import type { Instance } from '../../support/instance.ts';

// alone: it changes for good who may submit an activity

/**
 * CREATE_USER_TAG represents the activities that a parent submits in its sub-organizations. Only its submitters are special.
 * For the whole test file.
 */
export const TYPE = 'CREATE_USER_TAG';
export const PATH = submitPath(TYPE);

export const tag = (client: Client, userTagName: string): string => client.bodyOf(TYPE, { userTagName, userIds: [] });

export const statusOf = (answer: Answer): string => answer.body.activity?.status ?? answer.text;

export const COMPLETED = 'ACTIVITY_STATUS_COMPLETED';

export type ParentWorld = {
  sub: Awaited<ReturnType<Instance['newSubOrganization']>>;
  /** Of the sub-organization. */
  own: Client;
  /** The parent's root user, naming the sub-organization. */
  root: Client;
  /** Users of the parent without permission, naming the sub-organization. */
  member: Client;
  memberId: string;
  second: Client;
  secondId: string;
  /** While `work` runs, a policy of the parent lets users submit these, if their consensus holds. */
  permitted<T>(consensus: string, work: () => Promise<T>): Promise<T>;
};

export async function parentWorld(instance: Instance): Promise<ParentWorld> {
  createUserTag.submitters.from = 'parent';
  const sub = await instance.newSubOrganization('Below', 1, 1);
  const inSub = (keys: Keys) => instance.root.as(keys, sub.organizationId);
  const [one, two] = [await instance.newUser('Member'), await instance.newUser('Second')];
  return {
    sub,
    own: sub.clients[0]!,
    root: inSub(instance.root.keys),
    member: inSub(one.keys),
    memberId: one.userId,
    second: inSub(two.keys),
    secondId: two.userId,
    async permitted(consensus, work) {
      const policyId = await newPolicy(instance.root, { condition: `activity.kind == '${TYPE}'`, consensus });
      try {
        return await work();
      } finally {
        await instance.root.submit('DELETE_POLICY', { policyId });
      }
    },
  };
}
