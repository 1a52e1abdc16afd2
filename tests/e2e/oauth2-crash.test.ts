import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { resultOf, submitPath } from '../support/client.ts';
import { freshMigrated } from '../support/database.ts';
import { encryptedSecret, sharedProviders } from '../support/oauth2.ts';
import { startProcess } from '../support/process.ts';
import { refused } from '../support/refusals.ts';

const { providers, env } = await sharedProviders();
const TYPE = 'OAUTH2_AUTHENTICATE';

test('a crash after the code was spent leaves nothing half; the same body is told to sign in again, and stays so', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'countersign-oauth2-'));
  const database = await freshMigrated(dataDir);
  const settings = { ...env, DATA_DIR: dataDir, ...(database ? { DATABASE_URL: database.url } : {}) };
  try {
    const first = await startProcess(settings);
    await first.ready();
    const encryptedClientSecret = await encryptedSecret(first.url, providers.clientSecret);
    const credential = { provider: 'OAUTH2_PROVIDER_X', clientId: providers.clientId, encryptedClientSecret };
    const made = await first.root().submit('CREATE_OAUTH2_CREDENTIAL', credential);
    const parameters = { ...resultOf(made, 'createOauth2CredentialResult'), ...providers.signIn('1'), nonce: 'nonce' };
    const body = first.root().bodyOf(TYPE, parameters);
    // The code is spent by the time that the user is asked for.
    providers.answer('/2/users/me', () => void first.child.kill('SIGKILL'));
    await assert.rejects(first.root().send(submitPath(TYPE), body));
    await first.exited;
    providers.answer('/2/users/me', undefined);

    const second = await startProcess(settings);
    await second.ready();
    const root = second.root();
    const activities = async () => {
      const filter = { filterByType: [`ACTIVITY_TYPE_${TYPE}`] };
      return (await root.query('list_activities', filter)).body.activities.map(({ status }: { status: string }) => status);
    };
    assert.deepEqual(await activities(), []);
    const again = await root.send(submitPath(TYPE), body);
    refused(again, [400, 'REQUEST_INVALID', /^X rejected the authorization code: it was used before.*Sign in again/]);
    assert.equal((await root.send(submitPath(TYPE), body)).text, again.text);
    assert.deepEqual(await activities(), ['ACTIVITY_STATUS_FAILED']);
    const anew = await root.submit(TYPE, { ...parameters, ...providers.signIn('1') });
    assert.equal(typeof resultOf(anew, 'oauth2AuthenticateResult').oidcToken, 'string');
    second.child.kill('SIGTERM');
    await second.exited;
  } finally {
    await database?.drop();
    rmSync(dataDir, { recursive: true, force: true });
  }
});
