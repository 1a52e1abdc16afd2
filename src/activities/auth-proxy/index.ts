import type { ActivityKind } from '../../engine/activity/declare.ts';
import { disableAuthProxy } from './disable-auth-proxy.ts';
import { enableAuthProxy } from './enable-auth-proxy.ts';
import { updateAuthProxyConfig } from './update-auth-proxy-config.ts';

export const authProxy: readonly ActivityKind[] = [disableAuthProxy, enableAuthProxy, updateAuthProxyConfig];
