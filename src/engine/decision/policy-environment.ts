import { z } from 'zod';
import { camelCase } from '../../base/names.ts';
import { interfaceNames } from '../../model/interface-names.ts';
import { type ActivityRow, type Environment, oneOf, parameterTable, type TextShape } from '../../policy/index.ts';
import type { ActivityKind } from '../activity/declare.ts';
import { policyEnvironment } from './policy-compiler.ts';

/** The environment with all that there is to know about activities: what policies are checked with for what cannot be meant. */
export function environmentWith(kinds: readonly ActivityKind[]): Environment {
  const activities = kinds.flatMap(rowsOf);
  const all = (field: 'type' | 'kind' | 'resource' | 'action') =>
    oneOf(...new Set([...activities.map((row) => row[field]), ...interfaceNames[field]]));
  const shapes = {
    ...policyEnvironment.shapes,
    Activity: { type: all('type'), kind: all('kind'), resource: all('resource'), action: all('action') },
    Parameters: { ...policyEnvironment.shapes.Parameters, ...parameterShapes(kinds) },
  };
  return { ...policyEnvironment, shapes, activities, later: notServed(activities) };
}

/** What the interface names besides: policies may be written for it already. */
function notServed(activities: readonly ActivityRow[]): Environment['later'] {
  const without = (field: 'type' | 'kind' | 'resource' | 'action'): string[] => {
    const served = new Set(activities.map((row) => row[field]));
    return interfaceNames[field].filter((name) => !served.has(name));
  };
  return { type: without('type'), kind: without('kind'), resource: without('resource'), action: without('action') };
}

function rowsOf({ kind, resource, action, versions, policyRoots: roots, unread }: ActivityKind): ActivityRow[] {
  return [...versions.keys()].map((type) => ({ type, kind, resource, action, roots, ...(unread && { unread }) }));
}

/** Parameters that are enumerations wherever they occur, as their schemas say. */
function parameterShapes(kinds: readonly ActivityKind[]): Record<string, TextShape> {
  const found = new Map<string, Set<string> | 'anything'>();
  for (const kind of kinds) {
    for (const { type, version } of kind.versions.values()) {
      const names = Object.keys(parameterTable[type] ?? {});
      if (names.length === 0) continue;
      const { properties = {} } = z.toJSONSchema(kind.params.schema(version), { io: 'input', unrepresentable: 'any' });
      for (const name of names) {
        const property = properties[camelCase(name)];
        const values = typeof property === 'object' ? property.enum : undefined;
        const before = found.get(name);
        const listed = Array.isArray(values) && before !== 'anything';
        found.set(name, listed ? new Set([...(before ?? []), ...values.map(String)]) : 'anything');
      }
    }
  }
  return Object.fromEntries([...found].flatMap(([name, values]) => (values === 'anything' ? [] : [[name, oneOf(...values)]])));
}
