/** Names and texts with markup and hidden characters are shown as text. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { encodeFunctionData, erc20Abi } from 'viem';
import { resultOf } from '../../support/client.ts';
import { settled, signedIn } from './people-pages.ts';
import { type People, signer, TO, TOKEN, waiting } from './requests.ts';
import type { ConsoleWorld } from './world.ts';

/** Markup, and an override of the direction of text. Below, as pages show it. */
const HOSTILE = '"><img src=x onerror=alert(1)>\u202eevil';
const SHOWN = '"><img src=x onerror=alert(1)>⟨U+202E⟩evil';

export function hostileTexts(world: ConsoleWorld, people: () => People): void {
  /** A page of the approver, and a check that a path shows the hostile text as text. */
  async function hostilePage() {
    const page = await signedIn(world, people().approver);
    const dialogs: string[] = [];
    page.on('dialog', (dialog) => {
      dialogs.push(dialog.message());
      void dialog.dismiss();
    });
    const isText = async (path: string, shown = SHOWN) => {
      await settled(world, page, path);
      await page.getByText(shown).first().waitFor();
      const text = await page.locator('body').innerText();
      assert.ok(!text.includes('\u202e'), path);
      assert.equal(await page.locator('main img').count(), 0, path);
      assert.deepEqual(dialogs, [], path);
      return text;
    };
    return { page, isText };
  }

  test('hostile names and texts are shown as text on every page', async () => {
    const { root, newUser } = world.instance;
    const { client, userId } = await newUser(HOSTILE);
    const one = (id: string) => `approvers.any(user, user.id == '${id}')`;
    const { userId: approverId } = (await people().approver.query('whoami')).body;
    const policy = {
      ...{ policyName: HOSTILE, effect: 'EFFECT_ALLOW', notes: HOSTILE, condition: "activity.kind == 'CREATE_POLICY'" },
      consensus: `${one(userId)} && ${one(approverId)}`,
    };
    resultOf(await root.submit('CREATE_POLICY_V3', policy), 'createPolicyResult');
    const asked = { policyName: HOSTILE, effect: 'EFFECT_ALLOW', condition: 'true', notes: HOSTILE };
    const { id } = await waiting(client, 'CREATE_POLICY_V3', asked);
    const { page, isText } = await hostilePage();
    for (const path of [
      `approvals?open=${id}`,
      `activities/${id}`,
      `activities/${id}?tab=votes`,
      `activities/${id}?tab=decision`,
      'overview',
      'approvals',
      'activities',
    ])
      await isText(path);
    await page.close();
  });

  test('hostile names in an interface, a hostile argument, and a hostile symbol of a token are shown as text', async () => {
    const { root } = world.instance;
    const abi = (name: string) =>
      [{ type: 'function', name: 'remark', inputs: [{ name, type: 'string' }], outputs: [] }] as const;
    const made = await root.submit('CREATE_SMART_CONTRACT_INTERFACE', {
      ...{ type: 'SMART_CONTRACT_INTERFACE_TYPE_ETHEREUM', label: HOSTILE, notes: HOSTILE },
      ...{ smartContractAddress: TO, smartContractInterface: JSON.stringify(abi(HOSTILE)) },
    });
    resultOf(made, 'createSmartContractInterfaceResult');
    const { signs } = await signer(world);
    const { page, isText } = await hostilePage();
    const data = encodeFunctionData({ abi: abi('text'), args: [HOSTILE] });
    const call = await waiting(people().asker, ...signs({ to: TO, data }));
    const text = await isText(`approvals?open=${call.id}`);
    assert.ok(text.includes(`remark(string ${SHOWN})`), text);
    // The function, the name of its argument, the value, and what is named in the warnings.
    assert.ok(text.split(SHOWN).length > 3, text);
    // The operator names tokens, so this is a service that lies.
    const symbol = '<img src=x onerror=alert(1)>';
    const token = { caip19: `eip155:1/erc20:${TOKEN.toLowerCase()}`, symbol, decimals: 6, name: HOSTILE, stable: true };
    await page.route('**/query/list_supported_assets', (route) => route.fulfill({ json: { assets: [token] } }));
    const transfer = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [TO, 5_000_000n] });
    const { id } = await waiting(people().asker, ...signs({ to: TOKEN, data: transfer }));
    const amount = `5 ${symbol} (as the service says: 6 decimals)`;
    for (const path of [`approvals?open=${id}`, `activities/${id}`])
      assert.ok((await isText(path, amount)).includes(amount), path);
    // With hidden characters, it is no symbol.
    token.symbol = HOSTILE;
    const refused = 'decimals unknown, so whole tokens are not shown';
    assert.ok(!(await isText(`activities/${id}`, refused)).includes('6 decimals'));
    await page.close();
  });
}
