import { domainCover } from '../../chains/ethereum/eip712-domain.ts';
import type { ReviewContext } from '../../engine/context.ts';

/** Members named in one warning, and the length of each: the client chooses them. */
const NAMED = 5;
const LONGEST = 40;

/** Warns of typed data whose signature does not cover its domain. `field`: of the payload. */
export function reviewTypedData({ warn }: Pick<ReviewContext, 'warn'>, payload: string, field: string): void {
  const cover = domainCover(payload);
  if (cover?.isEmpty)
    warn(
      'EIP712_DOMAIN_EMPTY',
      `${field}: the signed domain is empty, so no contract with a domain accepts the signature. @turnkey/viem sends it empty if the call's types lack EIP712Domain: declare it there`,
    );
  else if (cover !== undefined && cover.leftOut.length > 0) {
    const names = cover.leftOut.slice(0, NAMED).map((name) => `domain.${name.slice(0, LONGEST)}`);
    const more = cover.leftOut.length > NAMED ? ' and others' : '';
    warn(
      'EIP712_DOMAIN_NOT_COVERED',
      `${field}: the signature does not cover ${names.join(', ')}${more}: declare them in types.EIP712Domain`,
    );
  }
}
