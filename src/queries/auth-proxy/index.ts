import type { QueryKind } from '../../engine/query/declare.ts';
import { getAuthProxyConfig } from './get-auth-proxy-config.ts';

export const authProxy: readonly QueryKind[] = [getAuthProxyConfig];
