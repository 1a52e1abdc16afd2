import type { Texts } from './state.ts';

/** Groups run one after the other. All requests of a group are sent before their approvals are waited for. */
export const GROUPS = [
  'tags',
  'users',
  'controls',
  'restrict',
  'members',
  // A tag that policies read. All other tags have their new members then.
  'read members',
  'new members',
  'widen',
  'remove',
] as const;
export type Group = (typeof GROUPS)[number];

/** What a plan may send. */
export const OPERATIONS = [
  'create_user_tag',
  'create_users',
  'update_user',
  'update_user_tag',
  'create_velocity_control',
  'create_policies',
  'update_policy',
  'delete_policies',
  'delete_velocity_control',
  'delete_user_tags',
] as const;
export type Operation = (typeof OPERATIONS)[number];

/** A policy after the request; undefined: it is gone. */
export type Written = { name: string; texts: Texts | undefined };

/** One request. Its parameters may have placeholders, which `withLearnt` replaces. */
export type Step = {
  group: Group;
  operation: Operation;
  title: string;
  details: string[];
  parameters: object;
  writes: Written[];
  /** The placeholders of what it creates, in the order of the ids in its result. */
  creates: string[];
};

export const step = (group: Group, operation: Operation, title: string, parameters: object, more: Partial<Step> = {}): Step => ({
  group,
  operation,
  title,
  parameters,
  details: [],
  writes: [],
  creates: [],
  ...more,
});

export const inOrder = (steps: readonly Step[]): Step[] =>
  steps.toSorted((a, b) => GROUPS.indexOf(a.group) - GROUPS.indexOf(b.group));

/** Divides a list for requests: at most `most` elements, and far below the 1 MiB that the service takes. */
export function portions<T>(all: readonly T[], most: number): T[][] {
  const found: T[][] = [];
  let bytes = 0;
  for (const one of all) {
    const size = Buffer.byteLength(JSON.stringify(one));
    const last = found.at(-1);
    if (last === undefined || last.length === most || bytes + size > 500_000) {
      found.push([one]);
      bytes = size;
    } else {
      last.push(one);
      bytes += size;
    }
  }
  return found;
}
