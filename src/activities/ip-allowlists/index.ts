import type { ActivityKind } from '../../engine/activity/declare.ts';
import { removeIpAllowlist } from './remove-ip-allowlist.ts';
import { setIpAllowlist } from './set-ip-allowlist.ts';

export const ipAllowlists: readonly ActivityKind[] = [removeIpAllowlist, setIpAllowlist];
