import { DEFAULT_LIMITS } from '../../../src/model/limits.ts';
import { newKeys, resultOf, userWith } from '../client.ts';
import type { Instance } from '../instance.ts';
import { issuerEnv } from './issuer.ts';
import type { Home } from './kinds.ts';

let labels = 0;

const anyLabel = (): string => `own ${++labels}`;

/** The root organization. */
export const homeOf = (instance: Instance): Home => {
  return { instance, client: instance.root, userId: instance.credentials.userId, label: anyLabel };
};

/** A top-level organization of its own. */
export async function newTopLevel(instance: Instance, name: string, label?: string): Promise<Home> {
  const home = await newHome(instance, name, label);
  const { organizationId } = home.client;
  await instance.raw('UPDATE organizations SET parent_id = NULL WHERE id = $1', organizationId);
  for (const table of ['users', 'credentials'])
    await instance.raw(`UPDATE ${table} SET parent_id = NULL WHERE organization_id = $1`, organizationId);
  return home;
}

/** A new sub-organization, of the root organization unless `parent` says of which. With a label, everything in it is called that. */
export async function newHome(instance: Instance, name: string, label?: string, parent = instance.root): Promise<Home> {
  const keys = newKeys();
  const parameters = { subOrganizationName: name, rootQuorumThreshold: 1, rootUsers: [userWith(name, [keys])] };
  const made = resultOf(await parent.submit('CREATE_SUB_ORGANIZATION_V8', parameters), 'createSubOrganizationResultV8');
  const client = instance.root.as(keys, made.subOrganizationId);
  return { instance, client, userId: made.rootUserIds[0], label: label === undefined ? anyLabel : () => label };
}

/** Settings with which no test of many operations meets a limit. */
export const roomy: Record<string, string> = {
  ...issuerEnv,
  ...Object.fromEntries(
    Object.keys(DEFAULT_LIMITS).map((name) => [`LIMIT_${name.replace(/[A-Z]/g, '_$&').toUpperCase()}`, '100000000']),
  ),
  ALLOW_CREATE_ORGANIZATION: '1',
};
