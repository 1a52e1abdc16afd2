import { z } from 'zod';
import { invalid } from '../../base/errors.ts';
import { parseJson } from '../../base/json.ts';
import { abiProblem } from '../../chains/ethereum/abi.ts';
import { idlProblem } from '../../chains/solana/idl.ts';
import { activity } from '../../engine/activity.ts';
import { v1 } from '../../engine/versions.ts';
import { IdOut, Label } from '../../wire/common.ts';
import { ContractInterfaceType } from '../../wire/contract-interfaces.ts';
import { Notes } from '../../wire/policies.ts';

const LONGEST = 400_000;
const LIMITS = { depth: 48, keys: 50_000 };

/** Why the interface would not decode every call: the place, and what should stand there. */
const problems = {
  SMART_CONTRACT_INTERFACE_TYPE_ETHEREUM: abiProblem,
  SMART_CONTRACT_INTERFACE_TYPE_SOLANA: idlProblem,
};

export const createSmartContractInterface = activity({
  kind: 'CREATE_SMART_CONTRACT_INTERFACE',
  resource: 'SMART_CONTRACT_INTERFACE',
  action: 'CREATE',
  summary: 'Store the interface of a contract, by which policies read its calls',
  params: v1(
    z.object({
      smartContractAddress: z.string().min(1).max(100),
      smartContractInterface: z.string().max(LONGEST, `must have at most ${LONGEST} characters`),
      type: ContractInterfaceType,
      label: Label,
      notes: Notes.optional(),
    }),
  ),
  result: { key: 'createSmartContractInterfaceResult', shape: z.object({ smartContractInterfaceId: IdOut }) },
  errors: ['REQUEST_INVALID'],
  async execute(ctx, { smartContractAddress, smartContractInterface, type, label, notes = '' }) {
    const ethereum = type === 'SMART_CONTRACT_INTERFACE_TYPE_ETHEREUM';
    const address = ethereum ? /^0x[0-9a-fA-F]{40}$/ : /^[1-9A-HJ-NP-Za-km-z]{32,44}$/;
    if (!address.test(smartContractAddress))
      throw invalid('parameters.smartContractAddress', `must be ${ethereum ? '0x and 40 hex digits' : 'a base58 address'}`);
    const parsed = parseJson(Buffer.from(smartContractInterface), LIMITS);
    const why = 'error' in parsed ? `must be JSON: ${parsed.error}` : problems[type](parsed.value);
    if (why !== undefined) throw invalid('parameters.smartContractInterface', why);
    const made = {
      organizationId: ctx.organization.id,
      id: ctx.ids.next(),
      address: ethereum ? smartContractAddress.toLowerCase() : smartContractAddress,
      type,
      label,
      notes,
      interface: smartContractInterface,
      createdAt: ctx.now,
      updatedAt: ctx.now,
    };
    if (!(await ctx.store.contractInterfaces.insert(made)))
      throw invalid('parameters.label', 'smart contract interface label must be unique: the organization has one of this name');
    ctx.factsChanged();
    return { smartContractInterfaceId: made.id };
  },
});
