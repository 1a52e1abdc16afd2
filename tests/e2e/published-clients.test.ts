import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiKeyStamper } from '@turnkey/api-key-stamper';
import { createActivityPoller, TurnkeyClient } from '@turnkey/http';
import { Turnkey } from '@turnkey/sdk-server';
import { createAccount } from '@turnkey/viem';
import { ethers } from 'ethers';
import { createWalletClient, custom, recoverMessageAddress, verifyMessage, verifyTypedData } from 'viem';
import { signWei, weiControl } from '../activities/velocity-controls/spends.ts';
import { ethereumAccount, freshTimestamp, newKeys, resultOf, userWith } from '../support/client.ts';
import { sharedInstance } from '../support/instance.ts';
import { RECEIVER } from '../support/samples.ts';

const instance = await sharedInstance();
const { apiPublicKey, apiPrivateKey } = instance.credentials;
const http = new TurnkeyClient({ baseUrl: instance.url }, new ApiKeyStamper({ apiPublicKey, apiPrivateKey }));

const server = () =>
  new Turnkey({
    apiBaseUrl: instance.url,
    apiPublicKey: instance.credentials.apiPublicKey,
    apiPrivateKey: instance.credentials.apiPrivateKey,
    defaultOrganizationId: instance.credentials.organizationId,
  }).apiClient();

test('@turnkey/sdk-server creates a sub-organization with a wallet, signs in it, lists and polls', async () => {
  const keys = newKeys();
  const client = server();
  const whoami = await client.getWhoami();
  assert.equal(whoami.userId, instance.credentials.userId);

  const made = await client.createSubOrganization({
    subOrganizationName: 'By sdk-server',
    rootQuorumThreshold: 1,
    rootUsers: [userWith('End user', [keys])] as never,
    wallet: { walletName: 'Default', accounts: [ethereumAccount()] as never },
  });
  assert.match(made.subOrganizationId, /^[0-9a-f-]{36}$/);
  const address = made.wallet!.addresses[0]!;
  assert.equal(ethers.getAddress(address), address);
  assert.equal(made.activity.status, 'ACTIVITY_STATUS_COMPLETED');

  const subOrganization = new Turnkey({
    apiBaseUrl: instance.url,
    apiPublicKey: keys.publicKey,
    apiPrivateKey: keys.privateKey,
    defaultOrganizationId: made.subOrganizationId,
  }).apiClient();
  const digest = ethers.id('hello');
  const signature = await subOrganization.signRawPayload({
    signWith: address,
    payload: digest,
    encoding: 'PAYLOAD_ENCODING_HEXADECIMAL',
    hashFunction: 'HASH_FUNCTION_NO_OP',
  });
  const recovered = ethers.recoverAddress(digest, { r: `0x${signature.r}`, s: `0x${signature.s}`, v: 27 + Number(signature.v) });
  assert.equal(recovered, address);

  const { activities } = await subOrganization.getActivities({ paginationOptions: { limit: '10' } });
  assert.deepEqual(
    activities.map((a) => a.type),
    ['ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2'],
  );
  const { wallets } = await subOrganization.getWallets();
  assert.equal(wallets[0]!.walletId, made.wallet!.walletId);
  const { accounts } = await subOrganization.getWalletAccounts({ walletId: made.wallet!.walletId });
  assert.equal(accounts[0]!.address, address);
  const { organizationIds } = await client.getSubOrgIds({ filterType: 'PUBLIC_KEY', filterValue: keys.publicKey });
  assert.deepEqual(organizationIds, [made.subOrganizationId]);
});

test('@turnkey/http sets a limit over time, is refused beyond it, reads it, and deletes it', async () => {
  const { organizationId } = instance.credentials;
  const { client, userId, keys } = await instance.newUser('Limited by a client');
  const wallet = { walletName: 'Limited by a client', accounts: [ethereumAccount()] };
  const [address] = resultOf(await instance.root.submit('CREATE_WALLET', wallet), 'createWalletResult').addresses;
  const bodyOf = (parameters: object) => ({ timestampMs: freshTimestamp(instance.clock.now()), organizationId, parameters });
  const declared = weiControl('by_client', 10n);
  const made = await http.createVelocityControl({ type: 'ACTIVITY_TYPE_CREATE_VELOCITY_CONTROL', ...bodyOf(declared) } as never);
  assert.equal(made.activity.status, 'ACTIVITY_STATUS_COMPLETED');
  const { velocityControls } = await http.listVelocityControls({ organizationId });
  const [shown] = velocityControls as unknown as Record<string, unknown>[];
  const { velocityControlId, organizationId: of, createdAt, updatedAt, ...rest } = shown!;
  assert.deepEqual([rest, of, createdAt], [declared, organizationId, updatedAt]);
  const one = await http.getVelocityControl({ organizationId, velocityControlId: String(velocityControlId) });
  assert.deepEqual(one.velocityControl, shown);
  const policy = { policyName: 'By a client', effect: 'EFFECT_ALLOW', notes: '', condition: 'controls.by_client' };
  const consensus = `approvers.any(user, user.id == '${userId}')`;
  const { policyId } = resultOf(await instance.root.submit('CREATE_POLICY_V3', { ...policy, consensus }), 'createPolicyResult');
  const limited = new TurnkeyClient(
    { baseUrl: client.url },
    new ApiKeyStamper({ apiPublicKey: keys.publicKey, apiPrivateKey: keys.privateKey }),
  );
  const sign = (value: bigint) =>
    limited.signTransaction({ type: 'ACTIVITY_TYPE_SIGN_TRANSACTION_V2', ...bodyOf(signWei(address, value)) } as never);
  assert.equal((await sign(7n)).activity.status, 'ACTIVITY_STATUS_COMPLETED');
  await assert.rejects(sign(7n), /velocity control by_client: \S+7 asked, \S+3 left of /);
  resultOf(await instance.root.submit('DELETE_POLICY', { policyId }), 'deletePolicyResult');
  const deleted = await http.deleteVelocityControl({
    type: 'ACTIVITY_TYPE_DELETE_VELOCITY_CONTROL',
    ...bodyOf({ velocityControlId }),
  } as never);
  assert.equal(deleted.activity.status, 'ACTIVITY_STATUS_COMPLETED');
  assert.deepEqual((await http.listVelocityControls({ organizationId })).velocityControls, []);
});

test('@turnkey/sdk-server creates, changes, lists and deletes a webhook endpoint', async () => {
  const client = server();
  const subscriptions = [{ eventType: 'BALANCE_CONFIRMED_UPDATES' }];
  const { endpointId } = await client.createWebhookEndpoint({ url: RECEIVER, name: 'By sdk-server', subscriptions });
  const { webhookEndpoint } = await client.updateWebhookEndpoint({ endpointId, name: 'Renamed', isActive: false });
  assert.deepEqual([webhookEndpoint.name, webhookEndpoint.url, webhookEndpoint.isActive], ['Renamed', RECEIVER, false]);
  const { webhookEndpoints } = await client.listWebhookEndpoints({});
  assert.deepEqual(webhookEndpoints, [webhookEndpoint]);
  assert.equal((await client.deleteWebhookEndpoint({ endpointId })).endpointId, endpointId);
  assert.deepEqual((await client.listWebhookEndpoints({})).webhookEndpoints, []);
});

test('@turnkey/http stamps, submits and polls', async () => {
  const poll = createActivityPoller({ client: http, requestFn: http.createWallet, refreshIntervalMs: 10 });
  const activity = await poll({
    type: 'ACTIVITY_TYPE_CREATE_WALLET',
    timestampMs: String(Date.now()),
    organizationId: instance.credentials.organizationId,
    parameters: { walletName: 'By http', accounts: [ethereumAccount()] as never },
  });
  assert.equal(activity.status, 'ACTIVITY_STATUS_COMPLETED');
  const { activity: again } = await http.getActivity({
    organizationId: instance.credentials.organizationId,
    activityId: activity.id,
  });
  assert.deepEqual(again.result.createWalletResult, activity.result.createWalletResult);
  await assert.rejects(
    http.getWallet({ organizationId: instance.credentials.organizationId, walletId: '00000000-0000-4000-8000-000000000000' }),
    /Turnkey error 5: wallet not found/,
  );
});

test('@turnkey/http reports a refusal as its error class', async () => {
  const { keys } = await instance.newUser('Unprivileged');
  const client = new TurnkeyClient(
    { baseUrl: instance.url },
    new ApiKeyStamper({ apiPublicKey: keys.publicKey, apiPrivateKey: keys.privateKey }),
  );
  const refused = client.createWallet({
    type: 'ACTIVITY_TYPE_CREATE_WALLET',
    timestampMs: String(Date.now()),
    organizationId: instance.credentials.organizationId,
    parameters: { walletName: 'No', accounts: [] },
  });
  await assert.rejects(refused, (error: Error & { code?: number }) => error.code === 7 && /permission/i.test(error.message));
});

test('@turnkey/viem signs a message and typed data that viem and ethers verify', async () => {
  const client = server();
  const made = await client.createWallet({ walletName: 'By viem', accounts: [ethereumAccount()] as never });
  const address = made.addresses[0] as `0x${string}`;
  const account = await createAccount({
    client,
    organizationId: instance.credentials.organizationId,
    signWith: address,
    ethereumAddress: address,
  } as never);

  const message = 'Countersign says hello — ¡hola!';
  const signature = await account.signMessage({ message });
  assert.equal(await recoverMessageAddress({ message, signature }), address);
  assert.ok(await verifyMessage({ address, message, signature }));
  assert.equal(ethers.verifyMessage(message, signature), address);

  const typed = {
    domain: { name: 'Ether Mail', version: '1', chainId: 1, verifyingContract: '0xCcCCccccCCCCcCCCCCCcCcCccCcCCCcCcccccccC' },
    types: {
      Person: [
        { name: 'name', type: 'string' },
        { name: 'wallet', type: 'address' },
      ],
      Mail: [
        { name: 'from', type: 'Person' },
        { name: 'to', type: 'Person[]' },
        { name: 'contents', type: 'string' },
        { name: 'amount', type: 'uint256' },
      ],
    },
    primaryType: 'Mail',
    message: {
      from: { name: 'Cow', wallet: '0xCD2a3d9F938E13CD947Ec05AbC7FE734Df8DD826' },
      to: [{ name: 'Bob', wallet: '0xbBbBBBBbbBBBbbbBbbBbbbbBBbBbbbbBbBbbBBbB' }],
      contents: 'Hello, Bob!',
      amount: 2n ** 200n + 7n,
    },
  } as const;
  const wallet = createWalletClient({
    account,
    transport: custom({ request: async () => assert.fail('signing needs no node') }),
  });
  const typedSignature = await wallet.signTypedData(typed);
  assert.ok(await verifyTypedData({ address, ...typed, signature: typedSignature }));
  assert.equal(ethers.verifyTypedData(typed.domain, typed.types as never, typed.message, typedSignature), address);
});
