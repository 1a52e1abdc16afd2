import type { Instance } from '../instance.ts';
import type { Home } from './kinds.ts';

let labels = 0;

const anyLabel = (): string => `own ${++labels}`;

/** The root organization. */
export const homeOf = (instance: Instance): Home => {
  return { client: instance.root, userId: instance.credentials.userId, label: anyLabel };
};

/** A new sub-organization of the root organization. With a label, everything in it is called that. */
export async function newHome(instance: Instance, name: string, label?: string): Promise<Home> {
  const { clients, userIds } = await instance.newSubOrganization(name, 1, 1);
  return { client: clients[0]!, userId: userIds[0]!, label: label === undefined ? anyLabel : () => label };
}
