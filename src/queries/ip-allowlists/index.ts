import type { QueryKind } from '../../engine/query/declare.ts';
import { getIpAllowlist } from './get-ip-allowlist.ts';

export const ipAllowlists: readonly QueryKind[] = [getIpAllowlist];
