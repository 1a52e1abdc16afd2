/** The states of a send: the table that the code follows, and the refused changes. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import { evmRow } from '../../../../../src/chain-io/sends/evm/lane/rows.ts';
import { CERTAIN, TRANSITIONS, transition } from '../../../../../src/chain-io/sends/evm/lane/states.ts';
import { NEXT_STATES, SEND_STATES } from '../../../../../src/model/send.ts';
import { type Opened, openMigrated } from '../../../../store/opened.ts';
import { sendOf } from '../../../../store/repositories/sends/send-rows.ts';
import { engineName } from '../../../../support/database.ts';

let opened: Opened;
before(async () => {
  opened = await openMigrated();
});
after(() => opened.close());

const PAGE = 'docs/decisions/0043-one-owner-for-each-account.md';

/** The cells of a table of the page, by its heading. */
async function tableOf(heading: string): Promise<string[][]> {
  const text = await readFile(PAGE, 'utf8');
  const [, , ...rows] = text
    .slice(text.indexOf(`| ${heading} |`))
    .split('\n\n')[0]!
    .split('\n');
  return rows.map((row) =>
    row
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim().replaceAll('`', '')),
  );
}

test('the page of decision 0043 says what is certain in each state, as the code does', async () => {
  assert.deepEqual(Object.fromEntries(await tableOf('State | Certain')), CERTAIN);
});

test('the page of decision 0043 has each transition of the code, and no other', async () => {
  assert.deepEqual(
    await tableOf('From | Event | Write | To'),
    TRANSITIONS.map(({ from, event, write, to }) => [from, event, write, to]),
  );
});

/** Files that write an EVM send: they follow the table, or change a send past it. */
const WRITES = /\btransition\(|\bfail\(\s*tx, evmRow|\bsends\.change\(/;

test('each writer outside the lane is named, follows the table, and has fail points', async () => {
  const files = globSync('src/**/*.ts').filter(
    (file) => !/^src\/(?:chain-io\/sends\/evm\/lane|store|domain\/sends)\//.test(file),
  );
  const writers = files.filter((file) => WRITES.test(readFileSync(file, 'utf8'))).sort();
  // Only a withdrawal on Solana ends there.
  assert.deepEqual(writers, ['src/operator/release/end.ts', 'src/operator/withdraw/evm.ts', 'src/operator/withdraw/stored.ts']);
  const named = [await readFile(PAGE, 'utf8'), await readFile('src/chain-io/sends/evm/lane/states.ts', 'utf8')];
  for (const file of writers.slice(0, 2)) {
    for (const text of named) assert.ok(text.includes(`\`${file}\``), file);
    const code = await readFile(file, 'utf8');
    assert.doesNotMatch(code, /\bsends\.change\(/);
    assert.match(code, /\bfailPointsAround\('(?:release|look-again)', /);
  }
});

test('the store takes each transition, and each state can be reached and left', () => {
  for (const { from, to } of TRANSITIONS) assert.ok(NEXT_STATES[from].includes(to), `${from} to ${to}`);
  const reached = new Set<string>(TRANSITIONS.map(({ to }) => to));
  assert.deepEqual(
    SEND_STATES.filter((state) => !reached.has(state)),
    [],
  );
  const left = new Set<string>(TRANSITIONS.map(({ from }) => from));
  assert.deepEqual(
    SEND_STATES.filter((state) => !left.has(state)),
    ['final', 'failed'],
  );
});

test(`a change that the table does not have throws, and nothing is written, on ${engineName}`, async () => {
  const { store } = opened;
  for (const [i, state] of SEND_STATES.entries()) {
    const stored = sendOf('organization', `send ${i}`, { state, nonce: 7, hash: 'first' });
    await store.transaction((tx) => tx.sends.insert(stored));
    const send = evmRow(stored);
    const events = TRANSITIONS.filter(({ from }) => from === state).map(({ event }): string => event);
    for (const { event } of TRANSITIONS) {
      if (events.includes(event)) continue;
      await assert.rejects(
        store.transaction((tx) => transition(tx, send, event, {}, 1)),
        new RegExp(`is ${state}, and cannot be ${event}`),
      );
    }
    for (const to of SEND_STATES.filter((one) => !NEXT_STATES[state].includes(one)))
      await assert.rejects(
        store.transaction((tx) => tx.sends.change(send, { state: to }, 1)),
        new RegExp(`is ${state}, and cannot become ${to}`),
      );
    assert.deepEqual(await store.read.sends.get(stored.organizationId, stored.id), stored);
  }
});

test('a broadcast send keeps its nonce: no event changes it, unless the nonce is lost', async () => {
  const send = evmRow(sendOf('organization', 'another', { state: 'sent', nonce: 7, hash: 'first' }));
  const changing = TRANSITIONS.filter(({ from, sets }) => from === 'sent' && (sets as readonly string[]).includes('nonce'));
  assert.deepEqual(
    changing.map(({ event }) => event),
    ['lost its nonce'],
  );
  await assert.rejects(
    opened.store.transaction((tx) => transition(tx, send, 'looked at', { nonce: 8 } as never, 1)),
    /illegal transition: .* 'looked at' does not change its nonce/,
  );
});
