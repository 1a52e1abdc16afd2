import type { ActivityKind } from '../../engine/activity/declare.ts';
import { createSmartContractInterface } from './create-smart-contract-interface.ts';
import { deleteSmartContractInterface } from './delete-smart-contract-interface.ts';

export const contractInterfaces: readonly ActivityKind[] = [createSmartContractInterface, deleteSmartContractInterface];
