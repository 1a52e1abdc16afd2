import type { ProxyEndpoint } from './declare.ts';

/** What browsers may ask for without a stamp. Paths, validation and the OpenAPI document follow from this list. */
export const proxyEndpoints: readonly ProxyEndpoint[] = [];
