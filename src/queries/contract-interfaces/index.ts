import type { QueryKind } from '../../engine/query/declare.ts';
import { getSmartContractInterface } from './get-smart-contract-interface.ts';
import { listSmartContractInterfaces } from './list-smart-contract-interfaces.ts';

export const contractInterfaces: readonly QueryKind[] = [getSmartContractInterface, listSmartContractInterfaces];
