import assert from 'node:assert/strict';
import { test } from 'node:test';
import { limitConcurrency } from '../../src/base/concurrency.ts';
import { ask, claimsOf, type Initiated, invalidCode, login, otherThan, sealed } from '../activities/otp/support.ts';
import { type Answer, newKeys, resultOf, userWith } from '../support/client.ts';
import { amount } from '../support/full.ts';
import { sharedMail } from '../support/mail.ts';
import { refused } from '../support/refusals.ts';
import { type Arena, atOnce, type Call, races } from './races.ts';

/** Codes and tokens that many use at once, on PostgreSQL at two processes. */

const LIVE = 4;
const INITIATIONS = 6;
/** How many are tried. The limit is three, however many they are. */
const GUESSES = Number(process.env.OTP_GUESSES ?? amount(100, 1_000, 2_000));
/** The same of those that are sealed. */
const SEALED = amount(60, 200);

const mail = await sharedMail();
const race = races({ ...mail.env, LIMIT_LIVE_OTPS: String(LIVE), LIMIT_OTP_INITIATIONS: String(INITIATIONS) });

const DIGITS = { otpLength: 6, alphanumeric: false };
const won = (answers: readonly Answer[]): Answer[] => answers.filter(({ status }) => status === 200);
const init = (contact: string, more: object = {}): Call => ['INIT_OTP_V3', ask(contact, more)];
const initInTheClear = (contact: string): Call => ['INIT_OTP_V2', ask(contact, DIGITS)];

async function code(arena: Arena, call: Call, contact: string): Promise<Initiated & { code: string }> {
  const [answer] = await atOnce(arena, [call]);
  return { ...resultOf(answer!, 'initOtpResultV2'), code: await mail.nextCode(contact) };
}

async function missesOf(otpId: string): Promise<number> {
  const rows = await race.raw('SELECT misses, code FROM otps WHERE id = $1', otpId);
  assert.equal(rows.length, 1);
  return Number(rows[0]!.misses);
}

test(`of ${GUESSES} guesses of one code three are attempts, and then it is locked for the right one`, async () => {
  const arena = await race.arena();
  const { otpId, code: right } = await code(arena, initInTheClear('guessed@example.com'), 'guessed@example.com');
  const wrong = Array.from({ length: 1_000_000 }, (_, i) => String(i).padStart(6, '0')).filter((guess) => guess !== right);
  // Fewer than the service has connections for, also where the machine is busy.
  const turn = limitConcurrency(200);
  const answers = await Promise.all(
    wrong.slice(0, GUESSES).map((otpCode, i) => {
      const clients = [arena.clients[i % arena.clients.length]!];
      return turn(async () => {
        const [answer] = await atOnce({ ...arena, clients }, [['VERIFY_OTP', { otpId, otpCode }]]);
        return answer!;
      });
    }),
  );
  assert.equal(answers.length, GUESSES);
  for (const answer of answers) invalidCode(answer, 'parameters.otpCode');
  assert.equal(await missesOf(otpId), 3);
  const [late] = await atOnce(arena, [['VERIFY_OTP', { otpId, otpCode: right }]]);
  invalidCode(late!, 'parameters.otpCode');
});

test('the same of guesses that are sealed, with the right one among them', async () => {
  const arena = await race.arena();
  const [client] = arena.clients;
  const { code: right, ...initiated } = await code(arena, init('sealed@example.com', DIGITS), 'sealed@example.com');
  const { publicKey } = newKeys();
  const codes = Array.from({ length: SEALED }, (_, i) => (i === SEALED * 0.75 ? right : otherThan(right, 1 + (i % 6))));
  const bundles = await Promise.all(codes.map((one) => sealed(client!, one, initiated, publicKey)));
  const answers = await atOnce(
    arena,
    bundles.map((parameters): Call => ['VERIFY_OTP_V2', parameters]),
  );
  const misses = await missesOf(initiated.otpId);
  assert.ok(misses <= 3 && won(answers).length <= 1, `${misses} and ${won(answers).length}`);
  if (won(answers).length === 0) assert.equal(misses, 3);
});

test('of many right guesses at once one is answered with a token', async () => {
  const arena = await race.arena();
  const [client] = arena.clients;
  const clear = await code(arena, initInTheClear('right@example.com'), 'right@example.com');
  const hidden = await code(arena, init('hidden@example.com'), 'hidden@example.com');
  const { publicKey } = newKeys();
  const bundle = await sealed(client!, hidden.code, hidden, publicKey);
  const calls = Array.from({ length: 20 }, (): [Call, Call] => [
    ['VERIFY_OTP', { otpId: clear.otpId, otpCode: clear.code }],
    ['VERIFY_OTP_V2', bundle],
  ]);
  for (const kind of [0, 1]) {
    const answers = await atOnce(
      arena,
      calls.map((pair) => pair[kind]!),
    );
    assert.equal(won(answers).length, 1);
    assert.equal(
      claimsOf(resultOf(won(answers)[0]!, 'verifyOtpResult').verificationToken).contact,
      `${['right', 'hidden'][kind]}@example.com`,
    );
  }
});

test('of many logins by one token at once one is made, in one organization', async () => {
  const top = await race.top();
  const keys = newKeys();
  const made = await code(top, init('login@example.com'), 'login@example.com');
  const [verified] = await atOnce(top, [['VERIFY_OTP_V2', await sealed(top.clients[0]!, made.code, made, keys.publicKey)]]);
  const { verificationToken } = resultOf(verified!, 'verifyOtpResult');
  const subs = await Promise.all(
    ['One', 'Two'].map(async (subOrganizationName) => {
      const rootUsers = [userWith('Somebody', [newKeys()], { userEmail: 'login@example.com' })];
      const parameters = { subOrganizationName, rootQuorumThreshold: 1, rootUsers };
      const [answer] = await atOnce(top, [['CREATE_SUB_ORGANIZATION_V8', parameters]]);
      return resultOf(answer!, 'createSubOrganizationResultV8').subOrganizationId as string;
    }),
  );
  const answers = await Promise.all(
    subs.map((organizationId) => {
      const clients = top.clients.map((client) => client.as(client.keys, organizationId));
      const calls = Array.from({ length: 8 }, (): Call => ['OTP_LOGIN_V2', login(verificationToken, keys, newKeys())]);
      return atOnce({ ...top, clients }, calls);
    }),
  );
  assert.equal(won(answers.flat()).length, 1);
  const sessions = await race.raw("SELECT id FROM credentials WHERE type = 'CREDENTIAL_TYPE_LOGIN'");
  assert.equal(sessions.length, 1);
});

const FULL = (text: RegExp): [number, string, RegExp] => [429, 'MAX_OTP_INITIATED', text];

test('live codes and initiations of a contact, and initiations of a user identifier: as many as the limits say', async () => {
  const arena = await race.arena();
  const many = (call: (i: number) => Call, n = 12) =>
    atOnce(
      arena,
      Array.from({ length: n }, (_, i) => call(i)),
    );
  const contact = 'limited@example.com';
  const first = await many((i) => ['INIT_OTP_V2', ask(i % 2 ? contact : contact.toUpperCase(), DIGITS)]);
  assert.equal(won(first).length, LIVE);
  for (const answer of first) if (answer.status !== 200) refused(answer, FULL(/LIMIT_LIVE_OTPS/));
  for (const answer of won(first)) {
    const { otpId } = resultOf(answer, 'initOtpResultV2');
    // Locked by three wrong attempts, one of them makes room for another.
    const wrong = Array.from({ length: 10 }, (_, i): Call => ['VERIFY_OTP', { otpId, otpCode: `${i}`.repeat(6) }]);
    await atOnce(arena, wrong);
  }
  const second = await many(() => init(contact));
  assert.equal(won(second).length, INITIATIONS - LIVE);
  for (const answer of second) if (answer.status !== 200) refused(answer, FULL(/LIMIT_OTP_INITIATIONS\b/));
  const theirs = await many((i) => init(`who${i}@example.com`, { userIdentifier: 'somebody' }));
  assert.equal(won(theirs).length, 3);
  for (const answer of theirs) if (answer.status !== 200) refused(answer, FULL(/LIMIT_OTP_INITIATIONS_OF_IDENTIFIER/));
});
