import type { ProxyEndpoint } from './declare.ts';
import { account } from './endpoints/account.ts';
import { walletKitClientParams } from './endpoints/wallet-kit-client-params.ts';
import { walletKitConfig } from './endpoints/wallet-kit-config.ts';

/** What browsers may ask for without a stamp. Paths, validation and the OpenAPI document follow from this list. */
export const proxyEndpoints: readonly ProxyEndpoint[] = [account, walletKitConfig, walletKitClientParams];
