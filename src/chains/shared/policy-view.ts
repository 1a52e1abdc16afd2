import { type HashBudget, readTypedData, type TypedStruct, type TypedValue } from '../ethereum/eip712.ts';
import { parseAuthorization } from '../ethereum/eip7702.ts';

/** A payload as policies see it, read from the same text that is signed. Values are plain; numbers are bigints. */
export type PayloadView = { [root: string]: () => { [field: string]: TypedValue } | undefined };

/** The roots that payloads may have. */
export const PAYLOAD_ROOTS = ['eth.eip_712', 'eth.eip_7702_authorization'] as const;

const unreadable = (why: string) => new Error(why);

/** A field of a domain; `empty` if the payload lacks it, as for contracts. */
function domainField<T extends TypedValue>(domain: TypedStruct, name: string, empty: T): T {
  const value = Object.hasOwn(domain, name) ? domain[name] : undefined;
  return typeof value === typeof empty ? (value as T) : empty;
}

/** The chain roots of a raw payload, each a function called only if a policy reads it. */
export function payloadView(payload: string, encoding: string, budget?: HashBudget): PayloadView {
  switch (encoding) {
    case 'PAYLOAD_ENCODING_EIP712':
      return {
        'eth.eip_712': () => {
          const { primaryType, domain, message } = readTypedData(payload, unreadable, budget);
          return {
            primary_type: primaryType,
            domain: {
              name: domainField(domain, 'name', ''),
              version: domainField(domain, 'version', ''),
              chain_id: domainField(domain, 'chainId', 0n),
              verifying_contract: domainField(domain, 'verifyingContract', ''),
            },
            message,
          };
        },
      };
    case 'PAYLOAD_ENCODING_EIP7702_AUTHORIZATION':
      return {
        'eth.eip_7702_authorization': () => {
          const { chainId, address, nonce } = parseAuthorization(payload, unreadable);
          return { address, chain_id: chainId, nonce };
        },
      };
    default:
      return {};
  }
}
