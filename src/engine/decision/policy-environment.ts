import { z } from 'zod';
import { camelCase } from '../../base/names.ts';
import { interfaceNames } from '../../model/interface-names.ts';
import {
  type ActivityRow,
  controlsRoot,
  coreExclusive,
  coreRoots,
  coreShapes,
  type Environment,
  type EnvironmentPart,
  makeEnvironment,
  oneOf,
  type ParameterTable,
  type TextShape,
  UUID,
} from '../../policy/index.ts';
import { Id } from '../../wire/common.ts';
import { AddressFormat, Curve } from '../../wire/enums.ts';
import type { ActivityKind } from '../activity/declare.ts';
import { namesKey } from '../activity/key-parameters.ts';

/**
 * The names that policies may use:
 * - those of the declared activities,
 * - those of the chains,
 * - the parameters of activity types that are not served yet. If a type is in both tables, the served declaration wins.
 */
export function environmentOf(
  kinds: readonly ActivityKind[],
  chains: readonly EnvironmentPart[],
  later: ParameterTable,
): Environment {
  const activities = kinds.flatMap(rowsOf);
  const all = (field: 'type' | 'kind' | 'resource' | 'action') =>
    oneOf(...new Set([...activities.map((row) => row[field]), ...interfaceNames[field]]));
  const roots = chains.flatMap((chain) => chain.roots);
  const signed = roots.map(({ keyword }) => keyword);
  const alone = signed.filter((keyword) => !roots.some((root) => root.keyword === keyword && root.totals !== undefined));
  const totals = roots.flatMap(({ keyword, totals }) =>
    totals ? [[keyword, ...alone.filter((other) => other !== totals.of)]] : [],
  );
  return makeEnvironment([...coreRoots(parametersOf(kinds, later)), ...roots, controlsRoot], {
    // One signature covers one transaction or payload.
    exclusive: [...coreExclusive, alone, ...totals],
    signed,
    shapes: Object.assign({}, coreShapes, ...chains.map((chain) => chain.shapes), {
      Activity: { type: all('type'), kind: all('kind'), resource: all('resource'), action: all('action') },
      Parameters: parameterShapes(kinds),
      WalletAccount: {
        ...coreShapes.WalletAccount,
        curve: oneOf(...Curve.options),
        address_format: oneOf(...AddressFormat.options),
      },
    }),
    activities,
    later: notServed(activities),
  });
}

function parametersOf(kinds: readonly ActivityKind[], later: ParameterTable): ParameterTable {
  const served = kinds.flatMap(({ versions, policyTypes }) => [...versions.keys()].map((type) => [type, policyTypes] as const));
  const own = new Map(served);
  const shown = [...served.filter(([, types]) => Object.keys(types).length > 0), ...Object.entries(later)];
  return Object.fromEntries(shown.map(([type, types]) => [type, own.get(type) ?? types]));
}

/** Interface names that are not served yet. Policies may already use them. */
function notServed(activities: readonly ActivityRow[]): Environment['later'] {
  const without = (field: 'type' | 'kind' | 'resource' | 'action'): string[] => {
    const served = new Set(activities.map((row) => row[field]));
    return interfaceNames[field].filter((name) => !served.has(name));
  };
  return { type: without('type'), kind: without('kind'), resource: without('resource'), action: without('action') };
}

function rowsOf(of: ActivityKind): ActivityRow[] {
  const { kind, resource, action, versions, policyRoots, unread, batch, votes } = of;
  // A velocity control may cover any kind.
  const roots = [...policyRoots, 'controls'];
  const more = { ...(unread && { unread }), ...(batch && { batch }), ...(votes && { votes }) };
  const shared = { kind, resource, action, roots, ...more, ...(namesKey(of) && { namesKey: true as const }) };
  return [...versions.keys()].map((type) => ({ type, ...shared }));
}

/** The shapes that text parameters have in all schemas that use them: enumerations and ids. */
function parameterShapes(kinds: readonly ActivityKind[]): Record<string, TextShape> {
  const found = new Map<string, TextShape | undefined>();
  for (const kind of kinds) {
    const names = Object.keys(kind.policyTypes);
    for (const { version } of names.length === 0 ? [] : kind.versions.values()) {
      const { properties = {} } = jsonSchema(kind.params.schema(version));
      for (const name of names) {
        const shape = shapeOf(properties[camelCase(name)]);
        found.set(name, found.has(name) ? either(found.get(name), shape) : shape);
      }
    }
  }
  return Object.fromEntries([...found].flatMap(([name, shape]) => (shape === undefined ? [] : [[name, shape]])));
}

type Schema = z.core.JSONSchema._JSONSchema | undefined;

const jsonSchema = (schema: z.ZodType) => z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
const ID = jsonSchema(Id).pattern;

/** Undefined for a text that can be anything. */
function shapeOf(schema: Schema): TextShape | undefined {
  if (typeof schema !== 'object') return undefined;
  const { enum: values, items, pattern } = schema;
  if (Array.isArray(values)) return oneOf(...values.map(String));
  if (items !== undefined && !Array.isArray(items)) return shapeOf(items);
  return pattern !== undefined && pattern === ID ? UUID : undefined;
}

function either(a: TextShape | undefined, b: TextShape | undefined): TextShape | undefined {
  if (a?.values && b?.values) return oneOf(...new Set([...a.values, ...b.values]));
  return a === b ? a : undefined;
}
