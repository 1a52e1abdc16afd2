import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError } from '../../../src/base/errors.ts';
import type { Trace } from '../../../src/engine/ports.ts';
import { checkAddress } from '../../../src/engine/request/ip-allowlist.ts';
import type { IpAllowlist } from '../../../src/model/ip-allowlist.ts';

const listOf = (cidrs: readonly string[], more: Partial<IpAllowlist> = {}): IpAllowlist => ({
  enabled: true,
  rules: cidrs.map((cidr) => ({ cidr, createdAt: 0 })),
  onEvaluationError: 'DENY',
  ...more,
});

/** What the log says of a refusal; undefined where there is none. */
function refusal(organization: IpAllowlist | null, credential: IpAllowlist | null | undefined, address?: string) {
  const trace: Trace = {};
  try {
    checkAddress(
      { ipAllowlist: organization },
      credential === undefined ? undefined : { ipAllowlist: credential },
      address,
      trace,
    );
  } catch (error) {
    assert.ok(error instanceof ApiError && error.code === 'REQUEST_NOT_AUTHORIZED');
    assert.equal(error.message, 'request not authorized');
    return trace.why;
  }
  assert.deepEqual(trace, {});
  return undefined;
}

const HERE = '192.0.2.1';
const [here, away] = [listOf([`${HERE}/32`]), listOf(['198.51.100.0/24'])];
const NOT_IN = /^the client's address is not in the IP allow-list of its (organization|credential)$/;

test('which list counts', () => {
  for (const [organization, credential, whose] of [
    [null, null, undefined],
    [null, away, undefined],
    [{ ...away, enabled: false }, away, undefined],
    [here, null, undefined],
    [here, undefined, undefined],
    [away, null, 'organization'],
    [away, undefined, 'organization'],
    [listOf([]), null, 'organization'],
    [away, here, undefined],
    [here, away, 'credential'],
    [listOf([]), here, undefined],
    [here, listOf([]), undefined],
    [away, listOf([]), 'organization'],
  ] as const) {
    const why = refusal(organization, credential, HERE);
    assert.equal(why && NOT_IN.exec(why)?.[1], whose);
  }
});

test('an address that is not known goes by the list that counts', () => {
  const allowing = (list: IpAllowlist): IpAllowlist => ({ ...list, onEvaluationError: 'ALLOW' });
  for (const [organization, credential, whose] of [
    [here, null, 'organization'],
    [allowing(here), null, undefined],
    [allowing(listOf([])), null, undefined],
    [allowing(here), away, 'credential'],
    [here, allowing(away), undefined],
    [here, allowing(listOf([])), 'organization'],
    [null, away, undefined],
  ] as const) {
    const why = refusal(organization, credential);
    assert.equal(
      why,
      whose && `the client's address is unknown, and the IP allow-list of its ${whose} refuses unknown addresses`,
    );
  }
});
