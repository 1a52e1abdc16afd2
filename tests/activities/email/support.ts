import type { Answer, Client, Keys } from '../../support/client.ts';
import { newKeys, resultOf, userWith } from '../../support/client.ts';
import type { Instance } from '../../support/instance.ts';
import type { MailServer } from '../../support/mail.ts';
import { keysIn, newTarget, type Target } from '../../support/published.ts';

/** A sub-organization whose root user has this email and an API key, and its parent looking into it. */
export type Customer = {
  organizationId: string;
  userId: string;
  email: string;
  /** Its root user. */
  own: Client;
  /** The root user of the parent. */
  parent: Client;
};

export async function newCustomer(instance: Instance, name: string, more: object = {}): Promise<Customer> {
  const keys = newKeys();
  const email = `Mail.${name.replaceAll(' ', '.')}@example.com`;
  const parameters = {
    subOrganizationName: name,
    rootQuorumThreshold: 1,
    rootUsers: [{ ...userWith(name, [keys]), userEmail: email }],
    ...more,
  };
  const made = resultOf(await instance.root.submit('CREATE_SUB_ORGANIZATION_V8', parameters), 'createSubOrganizationResultV8');
  const { subOrganizationId: organizationId, rootUserIds } = made;
  const { root } = instance;
  return {
    organizationId,
    userId: rootUserIds[0],
    email,
    own: root.as(keys, organizationId),
    parent: root.as(root.keys, organizationId),
  };
}

/** Parameters of the newest version. */
export const asking = (email: string, target: Target, more: object = {}) => ({
  email,
  targetPublicKey: target.publicKeyUncompressed,
  emailCustomization: { appName: 'Harbour' },
  ...more,
});

/** Asks for a bundle, takes it from the mail, and opens it. */
export async function mailed(
  mail: MailServer,
  client: Client,
  type: string,
  email: string,
  more: object = {},
): Promise<{ answer: Answer; keys: Keys; bundle: string }> {
  const target = newTarget();
  const answer = await client.submit(type, asking(email, target, more));
  const bundle = await mail.nextBundle(email);
  return { answer, bundle, keys: keysIn(bundle, target) };
}

/** Switches a feature of the organization that the client is in on or off. */
export async function setFeature(client: Client, name: string, on: boolean): Promise<void> {
  const type = on ? 'SET_ORGANIZATION_FEATURE' : 'REMOVE_ORGANIZATION_FEATURE';
  resultOf(await client.submit(type, on ? { name, value: '' } : { name }), `${on ? 'set' : 'remove'}OrganizationFeatureResult`);
}

export const whoIs = async (client: Client): Promise<string> => (await client.query('whoami')).body.userId;
