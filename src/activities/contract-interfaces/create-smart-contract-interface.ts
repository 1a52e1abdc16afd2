import { z } from 'zod';
import { invalid } from '../../base/errors.ts';
import { parseJson } from '../../base/json.ts';
import { abiProblem } from '../../chains/ethereum/abi.ts';
import { idlProblem } from '../../chains/solana/idl.ts';
import { requireRoom } from '../../domain/limits/limits.ts';
import { activity } from '../../engine/activity/declare.ts';
import { v1 } from '../../engine/activity/versions.ts';
import { IdOut, Label } from '../../wire/common.ts';
import { ContractInterfaceType } from '../../wire/contract-interfaces.ts';
import { Notes } from '../../wire/policies.ts';

const LONGEST = 400_000;
const LIMITS = { depth: 48, keys: 50_000 };

const ETHEREUM = 'SMART_CONTRACT_INTERFACE_TYPE_ETHEREUM';

/** Why the interface would not decode every call: the place, and what it should contain. */
const problems = {
  [ETHEREUM]: abiProblem,
  SMART_CONTRACT_INTERFACE_TYPE_SOLANA: idlProblem,
};

const Params = z.object({
  smartContractAddress: z.string().min(1).max(100),
  smartContractInterface: z.string().max(LONGEST, `must have at most ${LONGEST} characters`),
  type: ContractInterfaceType,
  label: Label,
  notes: Notes.optional(),
});

function checkInterface({ smartContractAddress, smartContractInterface, type }: z.output<typeof Params>): void {
  const ethereum = type === ETHEREUM;
  const address = ethereum ? /^0x[0-9a-fA-F]{40}$/ : /^[1-9A-HJ-NP-Za-km-z]{32,44}$/;
  if (!address.test(smartContractAddress))
    throw invalid('parameters.smartContractAddress', `must be ${ethereum ? '0x and 40 hex digits' : 'a base58 address'}`);
  const parsed = parseJson(Buffer.from(smartContractInterface), LIMITS);
  const why = 'error' in parsed ? `must be JSON: ${parsed.error}` : problems[type](parsed.value);
  if (why !== undefined) throw invalid('parameters.smartContractInterface', why);
}

export const createSmartContractInterface = activity({
  kind: 'CREATE_SMART_CONTRACT_INTERFACE',
  resource: 'SMART_CONTRACT_INTERFACE',
  action: 'CREATE',
  summary: 'Store the interface of a contract, with which policies read its calls',
  params: v1(Params),
  check: ({ intent: params }) => checkInterface(params),
  result: { key: 'createSmartContractInterfaceResult', shape: z.object({ smartContractInterfaceId: IdOut }) },
  errors: ['REQUEST_INVALID', requireRoom],
  async execute({ ctx, intent: params }) {
    const { smartContractAddress, smartContractInterface, type, label, notes = '' } = params;
    requireRoom(
      await ctx.store.organizations.count(ctx.organization.id, 'contractInterfaceCharacters'),
      smartContractInterface.length,
      ctx.limits.contractInterfaceCharacters,
      'characters in its contract interfaces',
      'LIMIT_CONTRACT_INTERFACE_CHARACTERS',
    );
    const made = {
      organizationId: ctx.organization.id,
      id: ctx.ids.next(),
      address: type === ETHEREUM ? smartContractAddress.toLowerCase() : smartContractAddress,
      type,
      label,
      notes,
      interface: smartContractInterface,
      createdAt: ctx.now,
      updatedAt: ctx.now,
    };
    if (!(await ctx.store.contractInterfaces.insert(made)))
      throw invalid(
        'parameters.label',
        'smart contract interface label must be unique: the organization has an interface of this name',
      );
    return { smartContractInterfaceId: made.id };
  },
});
