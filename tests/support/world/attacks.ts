import { activities } from '../../../src/activities/index.ts';
import { SoftAuthenticator } from '../authenticator.ts';
import { inputSchema, kindsAt, type Leaf, put } from './fields.ts';
import type { Things } from './kinds.ts';
import { filled, type Operation, parameterLeaves, versionsOf } from './parameters.ts';

/** A field that names something, and a kind of thing that it may name. */
export type Attack = {
  leaf: Leaf;
  kind: string;
  /** What else the parameters need, so that the field is looked at. */
  beside?: (things: Things) => Promise<object>;
  /** Where naming it takes more than its field. */
  place?: (parameters: object, named: string) => boolean;
};

/** A registration is signed with the id that it names. */
function registering({ path }: Leaf): Attack['place'] {
  if (path.at(-1) !== 'credentialId' || path.at(-2) !== 'attestation') return undefined;
  return (parameters, named) =>
    put(parameters, path.slice(0, -2), new SoftAuthenticator('ES256', Buffer.from(named, 'base64url')).register());
}

/** What `filterValue` is, by filter. */
const FILTERS: Readonly<Record<string, string>> = {
  NAME: 'name',
  USERNAME: 'name',
  CREDENTIAL_ID: 'credentialId',
  EMAIL: 'email',
  PHONE_NUMBER: 'phone',
  PUBLIC_KEY: 'publicKey',
  WALLET_ACCOUNT_ADDRESS: 'address',
  OIDC_TOKEN: 'oidcToken',
  OIDC_CLAIMS: 'oidcClaims',
};

function byFilter({ schema }: Operation): Attack[] {
  const filters = inputSchema(schema).properties?.filterType?.enum as string[];
  return filters.filter(Boolean).map((filterType) => {
    const kind = FILTERS[filterType];
    if (kind === undefined) throw new Error(`add what ${filterType} filters by to FILTERS in tests/support/world/attacks.ts`);
    return { leaf: { path: ['filterValue'], isId: false }, kind, beside: async () => ({ filterType }) };
  });
}

/** A simulated activity may name what the activity may name. Older versions are simulated as the newest one, so one test covers all. */
function bySimulation(): Attack[] {
  const newest = activities.map((kind) => versionsOf(kind).at(-1)!);
  return newest.flatMap((operation) =>
    attacksOn(operation).map(({ leaf, kind }) => ({
      leaf: { ...leaf, path: ['parameters', ...leaf.path] },
      kind,
      beside: async (things: Things) => ({ type: operation.type, parameters: await filled(operation, things, leaf) }),
    })),
  );
}

/** What a field names that depends on another field. */
const DEPENDENT: Readonly<Record<string, (operation: Operation) => Attack[]>> = {
  list_suborgs: byFilter,
  list_verified_suborgs: byFilter,
  simulate_activity: bySimulation,
};

/** Each field that names something, with each kind of thing that it may name. */
export function attacksOn(operation: Operation): Attack[] {
  const { name } = operation;
  const plain = parameterLeaves(operation).flatMap((leaf) => {
    const place = registering(leaf);
    return kindsAt(name, leaf).map((kind) => ({ leaf, kind, ...(place && { place }) }));
  });
  return [...plain, ...(DEPENDENT[name]?.(operation) ?? [])];
}
