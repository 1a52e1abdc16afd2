import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findConfig } from '../../../src/auth-proxy/find-config.ts';
import { templateOf } from '../../store/repositories/messages/mail-rows.ts';
import { resultOf, submitPath } from '../../support/client.ts';
import { refused, refusesEach } from '../../support/refusals.ts';
import { sharedPair } from '../support.ts';

const { instance, pair } = await sharedPair();
const { root, engine } = instance;

const TYPE = 'UPDATE_AUTH_PROXY_CONFIG';
const update = async (settings: object) =>
  resultOf(await root.submit(TYPE, settings), 'updateAuthProxyConfigResult').configId as string;

test('a sub-organization has none', async () => {
  refused(await pair.clients[0].submit(TYPE, {}), [400, 'INVALID_ACTIVITY_CALLER', /cannot be started in a sub-organization/]);
});

test('settings may come before the proxy is switched on, and what is left out stays', async () => {
  const configId = await update({ allowedOrigins: ['http://localhost:3000', 'capacitor://localhost'], otpLength: 6 });
  assert.equal(await findConfig(engine, configId), undefined, 'it is off');
  resultOf(await root.submit('ENABLE_AUTH_PROXY', {}), 'enableAuthProxyResult');
  assert.equal(await update({ otpAlphanumeric: false }), configId);
  const { settings } = (await findConfig(engine, configId))!.config;
  assert.deepEqual(settings.allowedOrigins, ['http://localhost:3000', 'capacitor://localhost']);
  assert.deepEqual([settings.otpLength, settings.otpAlphanumeric, settings.sessionExpirationSeconds], [6, false, 900]);
});

test('waits for the second root user, where the first cannot decide alone', async () => {
  const policy = {
    policyName: 'Two for the front door',
    effect: 'EFFECT_ALLOW',
    condition: "activity.resource == 'AUTH_PROXY' && activity.action == 'UPDATE'",
    consensus: 'approvers.count() >= 2',
    notes: '',
  };
  const { policyId } = resultOf(await root.submit('CREATE_POLICY_V3', policy), 'createPolicyResult');
  const [first, second] = [await instance.newUser('First of two'), await instance.newUser('Second of two')];
  const body = first.client.bodyOf(TYPE, { otpLength: 8 });
  const path = submitPath(TYPE);
  const waiting = await first.client.send(path, body);
  assert.equal(waiting.body.activity?.status, 'ACTIVITY_STATUS_CONSENSUS_NEEDED', waiting.text);
  const configId = await update({});
  assert.notEqual((await findConfig(engine, configId))!.config.settings.otpLength, 8);
  assert.equal(resultOf(await second.client.send(path, body), 'updateAuthProxyConfigResult').configId, configId);
  assert.equal((await findConfig(engine, configId))!.config.settings.otpLength, 8);
  resultOf(await root.submit('DELETE_POLICY', { policyId }), 'deletePolicyResult');
});

test('a value that empties', async () => {
  const configId = await update({
    sendFromEmailAddress: 'a@example.com',
    socialLinkingClientIds: ['x'],
    emailCustomizationParams: { appName: 'A' },
  });
  await update({ sendFromEmailAddress: '', socialLinkingClientIds: [], emailCustomizationParams: {}, allowedOrigins: [] });
  const { settings } = (await findConfig(engine, configId))!.config;
  assert.deepEqual(
    [settings.sendFromEmailAddress, settings.socialLinkingClientIds, settings.emailCustomizationParams, settings.allowedOrigins],
    ['', [], {}, []],
  );
});

test('two at once change what each is about', async () => {
  const configId = await update({});
  await Promise.all([update({ otpLength: 7 }), update({ captchaEnabled: true }), update({ otpExpirationSeconds: 60 })]);
  const { settings } = (await findConfig(engine, configId))!.config;
  assert.deepEqual([settings.otpLength, settings.captchaEnabled, settings.otpExpirationSeconds], [7, true, 60]);
});

test('names of methods and providers are read in any case, and kept once', async () => {
  const configId = await update({
    allowedAuthMethods: ['EMAIL', 'Passkey', 'email'],
    walletKitSettings: { enabledSocialProviders: ['Google', 'google'] },
  });
  const { settings } = (await findConfig(engine, configId))!.config;
  assert.deepEqual(settings.allowedAuthMethods, ['email', 'passkey']);
  assert.deepEqual(settings.walletKitSettings, { enabledSocialProviders: ['google'], oauthClientIds: {}, oauthRedirectUrl: '' });
});

test('templates are the organization’s own, and have a place for a code', async () => {
  const insert = (id: string, uses: string[]) =>
    engine.store.transaction((tx) => tx.mailTemplates.insert({ ...templateOf(root.organizationId, id), uses }));
  const [good, bad] = [engine.ids.next(), engine.ids.next()];
  await insert(good, ['OtpCode']);
  await insert(bad, ['CredentialBundle']);
  for (const field of ['emailAuthTemplateId', 'otpTemplateId'] as const) {
    await update({ [field]: good });
    for (const id of [bad, engine.ids.next(), 'none'])
      refused(await root.submit(TYPE, { [field]: id }), [400, 'REQUEST_INVALID', /template/], `parameters.${field}`);
  }
});

test('a wrong setting is refused by its name', () =>
  refusesEach(root, TYPE, [
    [{ allowedOrigins: 'https://app.example.com' }, 'parameters.allowedOrigins', /./],
    [{ allowedOrigins: ['https://app.example.com/'] }, 'parameters.allowedOrigins[0]', /Write "https:\/\/app.example.com"/],
    [{ allowedOrigins: ['HTTPS://app.example.com'] }, 'parameters.allowedOrigins[0]', /Write "https:\/\/app.example.com"/],
    [{ allowedOrigins: ['https://app.example.com:443'] }, 'parameters.allowedOrigins[0]', /Write/],
    [{ allowedOrigins: ['https://*.example.com'] }, 'parameters.allowedOrigins[0]', /the only wildcard/],
    [{ allowedOrigins: ['null'] }, 'parameters.allowedOrigins[0]', /as browsers send them/],
    [{ allowedOrigins: ['app.example.com'] }, 'parameters.allowedOrigins[0]', /as browsers send them/],
    [{ allowedOrigins: ['https://app.example.com\r\nx: y'] }, 'parameters.allowedOrigins[0]', /as browsers send them/],
    [{ allowedOrigins: ['*', 'https://app.example.com'] }, 'parameters.allowedOrigins', /must be \* alone/],
    [{ allowedAuthMethods: ['pigeon'] }, 'parameters.allowedAuthMethods[0]', /must be one of email, sms/],
    [
      { walletKitSettings: { enabledSocialProviders: ['myspace'] } },
      'parameters.walletKitSettings.enabledSocialProviders[0]',
      /must be one of google/,
    ],
    [{ walletKitSettings: { oauthClientIds: { 'a b': 'x' } } }, 'parameters.walletKitSettings.oauthClientIds.a b', /./],
    [
      { walletKitSettings: { oauthRedirectUrl: 'javascript:alert(1)' } },
      'parameters.walletKitSettings.oauthRedirectUrl',
      /must be a URL/,
    ],
    [{ otpLength: 5 }, 'parameters.otpLength', /./],
    [{ otpLength: 10 }, 'parameters.otpLength', /./],
    [{ otpExpirationSeconds: 601 }, 'parameters.otpExpirationSeconds', /at most 600/],
    [{ verificationTokenExpirationSeconds: 86_401 }, 'parameters.verificationTokenExpirationSeconds', /at most 86400/],
    [{ sessionExpirationSeconds: 0 }, 'parameters.sessionExpirationSeconds', /./],
    [{ sendFromEmailAddress: 'nobody' }, 'parameters.sendFromEmailAddress', /invalid email address/, 'INVALID_EMAIL'],
    [{ emailCustomizationParams: { logoUrl: 'ftp://x' } }, 'parameters.emailCustomizationParams.logoUrl', /./],
    [{ emailCustomizationParams: { magicLinkTemplate: 'none' } }, 'parameters.emailCustomizationParams.magicLinkTemplate', /./],
    [{ emailCustomizationParams: { templateVariables: '[]' } }, 'parameters.emailCustomizationParams.templateVariables', /./],
    [{ smsCustomizationParams: { template: 'no code' } }, 'parameters.smsCustomizationParams.template', /./],
    [{ captchaEnabled: 'yes' }, 'parameters.captchaEnabled', /./],
  ]));
