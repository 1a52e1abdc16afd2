import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { COUNTED, type Counted } from '../../../../src/store/tables/organizations.ts';
import type { Writer } from '../../../../src/store/types.ts';
import { engineName } from '../../../support/database.ts';
import { partOf, rounds } from '../../../support/full.ts';
import fc from '../../../support/properties.ts';
import { writes } from '../../calls-of-writes.ts';
import { fill, idOf, NOW, type Opened, openMigrated, userOf } from '../../fixture.ts';
import { oauth2CredentialOf } from '../credentials/oauth2-credential-row.ts';
import { sessionProfileOf } from '../credentials/session-profile-row.ts';
import { invitationOf } from '../people/invitation-row.ts';

/** What each count must be. */
const ROWS: Record<Counted, string> = {
  userCount: 'COUNT(*) FROM users',
  walletCount: 'COUNT(*) FROM wallets',
  walletAccountCount: 'COUNT(*) FROM wallet_accounts',
  privateKeyCount: 'COUNT(*) FROM private_keys',
  tagCount: 'COUNT(*) FROM tags',
  policyCount: 'COUNT(*) FROM policies',
  policyCharacters: 'COALESCE(SUM(LENGTH(condition) + LENGTH(consensus) + LENGTH(time)), 0) FROM policies',
  contractInterfaceCharacters: 'COALESCE(SUM(LENGTH(interface)), 0) FROM contract_interfaces',
  invitationCount: `COUNT(CASE WHEN status = 'INVITATION_STATUS_CREATED' THEN 1 END) FROM invitations`,
  sessionProfileCount: 'COUNT(*) FROM session_profiles',
  oauth2CredentialCount: 'COUNT(*) FROM oauth2_credentials',
  webhookEndpointCount: 'COUNT(*) FROM webhook_endpoints',
  fiatOnRampCredentialCount: 'COUNT(*) FROM fiat_on_ramp_credentials',
  secretCount:
    'COUNT(*) FROM (SELECT organization_id FROM stored_secrets UNION ALL SELECT organization_id FROM secret_targets) AS rows_of',
  tvcOperatorCount: 'COUNT(*) FROM tvc_operators',
  tvcAppCount: 'COUNT(*) FROM tvc_apps',
  tvcDeploymentCount: 'COUNT(*) FROM tvc_deployments',
  velocityControlCount: 'COUNT(*) FROM velocity_controls',
  tvcQuorumKeyCount: 'COUNT(*) FROM tvc_quorum_keys',
  freezeCount: 'COUNT(*) FROM freezes',
};

/** SQLite tries each write, which the property below does with writes of all kinds on both. */
const LEAST = engineName === 'postgres' ? 3 : 1;

let opened: Opened;
before(async () => {
  opened = await openMigrated();
});
after(() => opened.close());

let organizations = 0;

async function newOrganization(): Promise<string> {
  const id = idOf(`organization ${++organizations}`);
  await opened.store.transaction((tx) => fill(tx, id, null));
  return id;
}

/** The counts that an organization's row has, and those of the rows. */
async function countsOf(org: string): Promise<[Record<string, number>, Record<string, number>]> {
  const kept = COUNTED.map(({ name }) => name).join(', ');
  const counted = COUNTED.map(({ key, name }) => `(SELECT ${ROWS[key]} WHERE organization_id = o.id) AS ${name}`).join(', ');
  const [of, from] = await Promise.all(
    [kept, counted].map((columns) => opened.raw(`SELECT ${columns} FROM organizations o WHERE o.id = $1`, org)),
  );
  const numbers = ([row]: Record<string, unknown>[]) =>
    Object.fromEntries(Object.entries(row!).map(([name, value]) => [name, Number(value)]));
  return [numbers(of!), numbers(from!)];
}

async function assertCounted(org: string, message: string): Promise<Record<string, number>> {
  const [kept, counted] = await countsOf(org);
  assert.deepEqual(kept, counted, message);
  return kept;
}

for (const [repository, methods] of Object.entries(writes('')))
  test(`the counts of an organization follow each write of ${repository}, on ${engineName}`, async () => {
    for (const method of partOf(Object.keys(methods), LEAST)) {
      const org = await newOrganization();
      const calls = (writes(org) as unknown as Record<string, Record<string, unknown[][]>>)[repository]![method]!;
      await opened.store.transaction(async (tx) => {
        const target = (tx as unknown as Record<string, Record<string, (...args: unknown[]) => Promise<unknown>>>)[repository]!;
        for (const args of calls) await target[method]!(...args);
      });
      await assertCounted(org, `${repository}.${method}`);
    }
  });

const ALL = { limit: 100 };
const times = { createdAt: NOW, updatedAt: NOW };
const texts = { condition: 'tx == "äöü😀"', consensus: '', time: '', notes: 'not counted' };
const contract = { type: 'SMART_CONTRACT_INTERFACE_TYPE_ETHEREUM', notes: '', interface: '["ä😀"]' } as const;

/** Adds and removes one of each kind. A second of the same name is refused, and one that is not there cannot be removed. */
const KINDS: Record<string, Record<'add' | 'remove', (tx: Writer, org: string, id: string) => Promise<unknown>>> = {
  user: {
    add: async (tx, org, id) => (await tx.users.get(org, idOf(id))) ?? tx.users.insert(userOf(org, id)),
    remove: (tx, org, id) => tx.users.remove(org, idOf(id), NOW),
  },
  wallet: {
    async add(tx, org, id) {
      const kept = { organizationId: org, exported: false, ...times };
      await tx.wallets.insert({ ...kept, id: idOf(`${id} ${fresh++}`), name: id, imported: false });
      const signs = { ...kept, curve: 'CURVE_P256', publicKey: 'p', address: id, addressFormat: 'f', name: null };
      for (const path of ['m/0', 'm/1'])
        await tx.wallets.insertAccount({ ...signs, id: idOf(`${id} ${fresh++}`), walletId: idOf(id), path });
    },
    async remove(tx, org, id) {
      const [account] = await tx.wallets.accounts(org, idOf(id), { limit: 1 });
      if (account) await tx.wallets.removeAccount(org, idOf(id), account.id);
      for (const wallet of await tx.wallets.page(org, ALL)) if (wallet.name === id) await tx.wallets.remove(org, wallet.id);
      if (fresh % 2) await tx.wallets.removeAccountsOf(org, idOf(id));
    },
  },
  privateKey: {
    add: (tx, org, id) => {
      const key = { organizationId: org, curve: 'CURVE_P256', publicKey: 'p', exported: false, imported: false, ...times };
      return tx.privateKeys.insert({ ...key, id: idOf(`${id} ${fresh++}`), name: id });
    },
    async remove(tx, org, id) {
      for (const key of await tx.privateKeys.page(org, ALL)) if (key.name === id) await tx.privateKeys.remove(org, key.id);
    },
  },
  tag: {
    add: (tx, org, id) => tx.tags.insert({ organizationId: org, id: idOf(`${id} ${fresh++}`), kind: 'user', name: id, ...times }),
    async remove(tx, org, id) {
      for (const tag of await tx.tags.page(org, 'user', ALL)) if (tag.name === id) await tx.tags.remove(org, 'user', tag.id, NOW);
    },
  },
  policy: {
    add: (tx, org, id) =>
      tx.policies.insert({
        organizationId: org,
        id: idOf(`${id} ${fresh++}`),
        name: id,
        effect: 'EFFECT_DENY',
        ...texts,
        ...times,
      }),
    async remove(tx, org, id) {
      for (const policy of await tx.policies.page(org, { limit: 10_000 }))
        if (policy.name === id && fresh % 2) await tx.policies.remove(org, policy.id);
        else await tx.policies.update({ ...policy, consensus: `${policy.consensus}😀` });
    },
  },
  contractInterface: {
    add: (tx, org, id) =>
      tx.contractInterfaces.insert({
        organizationId: org,
        id: idOf(`${id} ${fresh++}`),
        address: id,
        label: id,
        ...contract,
        ...times,
      }),
    async remove(tx, org, id) {
      for (const one of await tx.contractInterfaces.page(org, ALL))
        if (one.label === id) await tx.contractInterfaces.remove(org, one.id);
    },
  },
  sessionProfile: {
    add: (tx, org, id) => tx.sessionProfiles.insert(sessionProfileOf(org, `${id} ${fresh++}`)),
    // They last.
    async remove() {},
  },
  invitation: {
    add: (tx, org, id) => tx.invitations.insert(invitationOf(org, `${id} ${fresh++}`, { userName: id, userId: id })),
    async remove(tx, org, id) {
      for (const one of await tx.invitations.page(org, ALL))
        if (one.userName === id) await tx.invitations.settle(org, one.id, 'INVITATION_STATUS_REVOKED', NOW);
    },
  },
  oauth2Credential: {
    add: (tx, org, id) => tx.oauth2Credentials.insert(oauth2CredentialOf(org, `${id} ${fresh++}`, { clientId: id })),
    async remove(tx, org, id) {
      for (const one of await tx.oauth2Credentials.page(org, ALL))
        if (one.clientId === id) await tx.oauth2Credentials.remove(org, one.id);
    },
  },
};

let fresh = 0;

const step = fc.record({
  kind: fc.constantFrom(...Object.keys(KINDS)),
  does: fc.constantFrom('add' as const, 'remove' as const),
  id: fc.constantFrom('a', 'b', 'c'),
});
const transactions = fc.array(fc.record({ steps: fc.array(step, { maxLength: 6 }), fails: fc.boolean() }), { maxLength: 6 });

test(`after any additions and removals the counts are those of the rows, on ${engineName}`, () =>
  fc.assert(
    fc.asyncProperty(transactions, async (all) => {
      const org = await newOrganization();
      for (const { steps, fails } of all) {
        const done = opened.store.transaction(async (tx) => {
          for (const { kind, does, id } of steps) await KINDS[kind]![does](tx, org, id);
          const accounts = await tx.wallets.accounts(org, undefined, { limit: 100 });
          assert.equal(await tx.organizations.count(org, 'walletAccountCount'), accounts.length, 'as the transaction sees it');
          if (fails) throw new Error('undone');
        });
        await (fails ? assert.rejects(done, /undone/) : done);
      }
      await assertCounted(org, JSON.stringify(all));
    }),
    { numRuns: rounds(30) },
  ));

test(`counts change no version by themselves, and an organization that is not there has none, on ${engineName}`, async () => {
  const { store } = opened;
  const org = await newOrganization();
  const { version } = (await store.read.organizations.get(org))!;
  await store.transaction((tx) => tx.users.insert(userOf(org, 'more')));
  assert.equal((await store.read.organizations.get(org))!.version, version);
  assert.equal(await store.transaction((tx) => tx.organizations.count(idOf('nowhere'), 'userCount')), 0);
  await assert.rejects(
    store.transaction((tx) => tx.users.insert(userOf('nowhere', 'lost'))),
    /no organization /,
  );
});
