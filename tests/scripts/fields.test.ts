import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, test } from 'node:test';
import { checkFields, repeats } from '../../scripts/check/fields.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'countersign-fields-'));
after(() => rmSync(folder, { recursive: true }));

test('a description that has hardly more than words of its field and shape repeats them', () => {
  assert.ok(repeats(['Wallet', 'walletId'], 'The ID of the wallet.'));
  assert.ok(repeats(['Policy', 'policyName'], 'Policy names'));
  assert.ok(repeats(['CreateUsersIntent', 'users'], 'The users to be created by it'));
  assert.ok(repeats(['CreateWalletResponse', 'createWalletResult'], 'What `ACTIVITY_TYPE_CREATE_WALLET` has done.'));
  assert.ok(repeats(['CreateWalletRequest', 'parameters'], 'What the activity shall do.'));
  assert.ok(repeats(['GetPolicyResponse', 'policy'], 'The wanted policy.'));
  assert.ok(repeats(['User', 'authenticators'], 'The user’s passkeys.'));
  assert.ok(!repeats(['Wallet', 'walletId'], 'The UUID of a wallet.'));
  assert.ok(!repeats(['User', 'authenticators'], 'The user’s passkeys, each with its public key.'));
});

test('a field without a description is refused, and so is one text for fields of two types', () => {
  mkdirSync(join(folder, 'openapi'));
  const read = (name: string) => JSON.parse(readFileSync(join(ROOT, 'openapi', name), 'utf8'));
  const document = read('public-api.json');
  const { schemas } = document.components;
  delete schemas.Wallet.properties.exported.description;
  schemas.Policy.properties.notes.type = 'integer';
  schemas.User.properties.userName.description = 'The user’s name';
  writeFileSync(join(folder, 'openapi/public-api.json'), JSON.stringify(document));
  writeFileSync(join(folder, 'openapi/auth-proxy.json'), JSON.stringify(read('auth-proxy.json')));
  const messages = checkFields(folder).map(({ message }) => message);
  assert.equal(messages.length, 3, messages.join('\n'));
  assert.match(messages[0]!, /^User\.userName is hardly more than repeated by/);
  assert.match(messages[1]!, /^Wallet\.exported has no description: put it into scripts\/generate\/openapi\/fields/);
  assert.match(messages[2]!, /^one text serves fields named notes of different types \(string; integer\)/);
});
