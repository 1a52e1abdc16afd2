import { activities } from '../../../src/activities/index.ts';
import type { ActivityKind } from '../../../src/engine/activity/declare.ts';
import { spaced } from './names.ts';

export const QUERY = 'Queries';
const VOTES = 'Votes';

const OTHERS: Readonly<Record<string, string>> = {
  [QUERY]: 'Reading: no query changes anything.',
  [VOTES]: 'Approving and rejecting activities that wait for others.',
};

/** Operations are grouped by the resource that policies know them by. */
export const tagOf = ({ resource, votes }: Pick<ActivityKind, 'resource' | 'votes'>): string =>
  votes !== undefined ? VOTES : spaced(resource || 'ORGANIZATION');

const aboutTag = (name: string): string =>
  OTHERS[name] ?? `Activities that policies know by \`activity.resource == '${name.toUpperCase().replaceAll(' ', '_')}'\`.`;

export const TAGS = [...new Set([...activities.map(tagOf), QUERY])].sort().map((name) => ({ name, description: aboutTag(name) }));
