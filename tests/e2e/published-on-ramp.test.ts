/** The published clients store credentials, open pages and poll for statuses. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { ApiKeyStamper } from '@turnkey/api-key-stamper';
import { TurnkeyClient } from '@turnkey/http';
import { Turnkey } from '@turnkey/sdk-server';
import { enabledProxy } from '../support/auth-proxy.ts';
import { resultOf } from '../support/client.ts';
import { sharedInstance } from '../support/instance.ts';
import { sharedMail } from '../support/mail.ts';
import {
  buying,
  COINBASE,
  coinbaseCredential,
  MOONPAY,
  moonpayCredential,
  onRampEnv,
  sharedOnRamps,
} from '../support/on-ramp.ts';
import { publishedKey } from '../support/published.ts';
import { type Core, newCore, published, verifiedBy } from '../support/published-core.ts';

const ramps = await sharedOnRamps();
const mail = await sharedMail();
const instance = await sharedInstance({ ...mail.env, ...onRampEnv(ramps) });
const { organizationId, apiPublicKey, apiPrivateKey } = instance.credentials;
const bought = (id: string) => ramps.purchases.set(id, [{ status: 'completed' }]);

const server = new Turnkey({
  apiBaseUrl: instance.url,
  apiPublicKey,
  apiPrivateKey,
  defaultOrganizationId: organizationId,
}).apiClient();

test('@turnkey/sdk-server: from a credential to a completed purchase, with both providers', async () => {
  const coinbase = await coinbaseCredential(instance.url);
  const { fiatOnRampCredentialId: id } = await server.createFiatOnRampCredential(coinbase as never);
  const moonpay = await server.createFiatOnRampCredential((await moonpayCredential(instance.url)) as never);
  const { fiatOnRampCredentials } = await server.listFiatOnRampCredentials({});
  assert.deepEqual(
    fiatOnRampCredentials.map((one) => [one.fiatOnrampCredentialId, one.onrampProvider, one.projectId]),
    [
      [id, COINBASE, 'project-1'],
      [moonpay.fiatOnRampCredentialId, MOONPAY, undefined],
    ],
  );
  await ramps.open((await server.initFiatOnRamp(buying(COINBASE) as never)).onRampUrl);
  const { onRampUrl, onRampTransactionId: transactionId } = await server.initFiatOnRamp(buying(MOONPAY) as never);
  await ramps.open(onRampUrl);
  bought(transactionId);
  assert.deepEqual(await server.getOnRampTransactionStatus({ transactionId }), { transactionStatus: 'PENDING' });
  const asked = { transactionId, refresh: true };
  assert.deepEqual(await server.getOnRampTransactionStatus(asked as never), {
    transactionStatus: 'COMPLETED',
  });
  const changed = { ...coinbase, fiatOnrampCredentialId: id, projectId: 'project-2' };
  assert.equal((await server.updateFiatOnRampCredential(changed as never)).fiatOnRampCredentialId, id);
  const deleted = await server.deleteFiatOnRampCredential({ fiatOnrampCredentialId: id });
  assert.equal(deleted.fiatOnRampCredentialId, id);
});

test('@turnkey/http: the same requests, with all their members', async () => {
  const http = new TurnkeyClient({ baseUrl: instance.url }, new ApiKeyStamper({ apiPublicKey, apiPrivateKey }));
  const submit = (type: string, parameters: object) =>
    ({ type: `ACTIVITY_TYPE_${type}`, timestampMs: String(Date.now()), organizationId, parameters }) as never;
  const made = await http.createFiatOnRampCredential(
    submit('CREATE_FIAT_ON_RAMP_CREDENTIAL', await moonpayCredential(instance.url)),
  );
  const fiatOnrampCredentialId = made.activity.result.createFiatOnRampCredentialResult!.fiatOnRampCredentialId;
  const { activity } = await http.initFiatOnRamp(submit('INIT_FIAT_ON_RAMP', buying(MOONPAY)));
  const { onRampUrl, onRampTransactionId: transactionId } = activity.result.initFiatOnRampResult!;
  await ramps.open(onRampUrl);
  bought(transactionId);
  const asked = { organizationId, transactionId, refresh: true };
  assert.equal((await http.getOnRampTransactionStatus(asked as never)).transactionStatus, 'COMPLETED');
  const listed = await http.listFiatOnRampCredentials({ organizationId });
  assert.equal(listed.fiatOnRampCredentials.at(-1)!.fiatOnrampCredentialId, fiatOnrampCredentialId);
  const deleted = await http.deleteFiatOnRampCredential(submit('DELETE_FIAT_ON_RAMP_CREDENTIAL', { fiatOnrampCredentialId }));
  assert.equal(deleted.activity.result.deleteFiatOnRampCredentialResult!.fiatOnRampCredentialId, fiatOnrampCredentialId);
});

let core: Core;
before(async () => {
  const { configId } = await enabledProxy(instance.root, {});
  core = await newCore(instance.url, organizationId, configId);
  const contact = 'ada@example.com';
  const verificationToken = await verifiedBy(core, mail, await publishedKey(instance.url, 'otp-signer'), contact);
  await core.signUpWithOtp({ verificationToken, contact, otpType: published.OtpType.Email });
});

test('@turnkey/core: a user who signed up buys with the credential of the parent', async () => {
  const credential = { ...(await moonpayCredential(instance.url)), sandboxMode: true };
  resultOf(await instance.root.submit('CREATE_FIAT_ON_RAMP_CREDENTIAL', credential), 'createFiatOnRampCredentialResult');
  const wish = buying(MOONPAY, { sandboxMode: true });
  const { onRampUrl, onRampTransactionId: transactionId } = await core.httpClient.initFiatOnRamp(wish as never);
  await ramps.open(onRampUrl);
  bought(transactionId);
  assert.equal(
    (await core.httpClient.getOnRampTransactionStatus({ transactionId, refresh: true } as never)).transactionStatus,
    'COMPLETED',
  );
  assert.deepEqual((await core.httpClient.listFiatOnRampCredentials({})).fiatOnRampCredentials, []);
});
