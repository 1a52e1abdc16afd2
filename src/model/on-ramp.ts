export const ON_RAMP_PROVIDERS = ['FIAT_ON_RAMP_PROVIDER_COINBASE', 'FIAT_ON_RAMP_PROVIDER_MOONPAY'] as const;

/** A company that sells cryptocurrency for money. */
export type OnRampProvider = (typeof ON_RAMP_PROVIDERS)[number];

/** The keys of an organization at such a provider. */
export type FiatOnRampCredential = {
  organizationId: string;
  id: string;
  provider: OnRampProvider;
  sandboxMode: boolean;
  projectId: string | null;
  /** MoonPay: the publishable key. Coinbase: the id of the private key. */
  publishableApiKey: string;
  /** The client's ciphertexts for the service. Any caller that may read the credential sees them. */
  encryptedSecretApiKey: string;
  encryptedPrivateApiKey: string | null;
  /** The same secrets, sealed under a master key. The service uses these. */
  sealedSecretApiKey: Buffer;
  sealedPrivateApiKey: Buffer | null;
  createdAt: number;
  updatedAt: number;
};

/** All but PENDING are final. */
export type OnRampStatus = 'PENDING' | 'COMPLETED' | 'FAILED' | 'CANCELLED';

/** A purchase that a person may make on a provider's page. */
export type OnRampTransaction = {
  organizationId: string;
  id: string;
  provider: OnRampProvider;
  sandboxMode: boolean;
  /** Of the organization or its parent. The credential may be deleted by now. */
  credentialId: string;
  status: OnRampStatus;
  /** When the provider was last asked about it; 0: never. */
  askedAt: number;
  createdAt: number;
  updatedAt: number;
};

export const ON_RAMP_NETWORKS = [
  'FIAT_ON_RAMP_BLOCKCHAIN_NETWORK_BITCOIN',
  'FIAT_ON_RAMP_BLOCKCHAIN_NETWORK_ETHEREUM',
  'FIAT_ON_RAMP_BLOCKCHAIN_NETWORK_SOLANA',
  'FIAT_ON_RAMP_BLOCKCHAIN_NETWORK_BASE',
] as const;
export type OnRampNetwork = (typeof ON_RAMP_NETWORKS)[number];

export const ON_RAMP_CRYPTO_CURRENCIES = [
  'FIAT_ON_RAMP_CRYPTO_CURRENCY_BTC',
  'FIAT_ON_RAMP_CRYPTO_CURRENCY_ETH',
  'FIAT_ON_RAMP_CRYPTO_CURRENCY_SOL',
  'FIAT_ON_RAMP_CRYPTO_CURRENCY_USDC',
] as const;
export type OnRampCryptoCurrency = (typeof ON_RAMP_CRYPTO_CURRENCIES)[number];

/** The currencies that each network has. */
export const CURRENCIES_OF: Readonly<Record<OnRampNetwork, readonly OnRampCryptoCurrency[]>> = {
  FIAT_ON_RAMP_BLOCKCHAIN_NETWORK_BITCOIN: ['FIAT_ON_RAMP_CRYPTO_CURRENCY_BTC'],
  FIAT_ON_RAMP_BLOCKCHAIN_NETWORK_ETHEREUM: ['FIAT_ON_RAMP_CRYPTO_CURRENCY_ETH', 'FIAT_ON_RAMP_CRYPTO_CURRENCY_USDC'],
  FIAT_ON_RAMP_BLOCKCHAIN_NETWORK_SOLANA: ['FIAT_ON_RAMP_CRYPTO_CURRENCY_SOL', 'FIAT_ON_RAMP_CRYPTO_CURRENCY_USDC'],
  FIAT_ON_RAMP_BLOCKCHAIN_NETWORK_BASE: ['FIAT_ON_RAMP_CRYPTO_CURRENCY_ETH', 'FIAT_ON_RAMP_CRYPTO_CURRENCY_USDC'],
};

// biome-ignore format: one entry in a line would take 34 lines
const FIAT = [
  'AUD', 'BGN', 'BRL', 'CAD', 'CHF', 'COP', 'CZK', 'DKK', 'DOP', 'EGP', 'EUR', 'GBP',
  'HKD', 'IDR', 'ILS', 'JOD', 'KES', 'KWD', 'LKR', 'MXN', 'NGN', 'NOK', 'NZD', 'OMR',
  'PEN', 'PLN', 'RON', 'SEK', 'THB', 'TRY', 'TWD', 'USD', 'VND', 'ZAR',
] as const;
export const ON_RAMP_FIAT_CURRENCIES = FIAT.map((code) => `FIAT_ON_RAMP_CURRENCY_${code}` as const);

const [COINBASE, MOONPAY] = ON_RAMP_PROVIDERS;

/** The providers that take each method of payment. */
const TAKEN_BY = {
  FIAT_ON_RAMP_PAYMENT_METHOD_CREDIT_DEBIT_CARD: [COINBASE, MOONPAY],
  FIAT_ON_RAMP_PAYMENT_METHOD_APPLE_PAY: [COINBASE, MOONPAY],
  FIAT_ON_RAMP_PAYMENT_METHOD_GBP_BANK_TRANSFER: [MOONPAY],
  FIAT_ON_RAMP_PAYMENT_METHOD_GBP_OPEN_BANKING_PAYMENT: [MOONPAY],
  FIAT_ON_RAMP_PAYMENT_METHOD_GOOGLE_PAY: [MOONPAY],
  FIAT_ON_RAMP_PAYMENT_METHOD_SEPA_BANK_TRANSFER: [MOONPAY],
  FIAT_ON_RAMP_PAYMENT_METHOD_PIX_INSTANT_PAYMENT: [MOONPAY],
  FIAT_ON_RAMP_PAYMENT_METHOD_PAYPAL: [MOONPAY],
  FIAT_ON_RAMP_PAYMENT_METHOD_VENMO: [MOONPAY],
  FIAT_ON_RAMP_PAYMENT_METHOD_MOONPAY_BALANCE: [MOONPAY],
  FIAT_ON_RAMP_PAYMENT_METHOD_CRYPTO_ACCOUNT: [COINBASE],
  FIAT_ON_RAMP_PAYMENT_METHOD_FIAT_WALLET: [COINBASE],
  FIAT_ON_RAMP_PAYMENT_METHOD_ACH_BANK_ACCOUNT: [COINBASE],
} as const satisfies Readonly<Record<string, readonly OnRampProvider[]>>;
export type OnRampPaymentMethod = keyof typeof TAKEN_BY;

export const ON_RAMP_PAYMENT_METHODS = Object.keys(TAKEN_BY) as [OnRampPaymentMethod, ...OnRampPaymentMethod[]];

export const takes = (provider: OnRampProvider, method: OnRampPaymentMethod): boolean =>
  (TAKEN_BY[method] as readonly OnRampProvider[]).includes(provider);

/** A purchase as its page shall propose it. */
export type OnRampOrder = {
  walletAddress: string;
  network: OnRampNetwork;
  cryptoCurrencyCode: OnRampCryptoCurrency;
  fiatCurrencyCode?: string | undefined;
  fiatCurrencyAmount?: string | undefined;
  paymentMethod?: OnRampPaymentMethod | undefined;
};
