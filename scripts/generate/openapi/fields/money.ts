import { FIRST_TEN } from './pages.ts';
import type { Tables } from './types.ts';

const COUNTS = {
  signatures: 'Signatures of completed activities in the period: one for each payload, transaction or send.',
  sends: 'Sends of completed activities in the period.',
  messages: 'Mails and text messages that completed activities requested in the period.',
  activities: 'Activities of the period by their end.',
};

export const moneyFields: Tables = {
  UsageCounts: COUNTS,
  usage: { ...COUNTS, from: 'The first day of the entry in UTC, such as `2026-01-31`.' },
  subOrganizations: { ...COUNTS, organizationId: 'The UUID of the sub-organization.' },
  GetUsageRequest: {
    from: 'The first day in UTC, such as `2026-01-01`. Default: 30 days or 12 months; at most 100 or 25.',
    to: 'The last day in UTC, inclusive, such as `2026-01-31`. Default: today.',
    paginationOptions: 'Which page of `subOrganizations` is wanted. Absent: the first 10 of them.',
  },
  GetUsageResponse: {
    usage: 'One entry for each day or month with any usage, oldest first. Sub-organizations are included, also deleted ones.',
    total: 'The sum of all entries of `usage`.',
    quota: 'The limit of this month. Absent if the operator set none.',
    subOrganizations: 'A page of the sub-organizations, oldest first, each with its sum: 10 unless the request says more.',
  },
  quota: {
    signaturesPerMonth: 'How many signatures a calendar month in UTC may have.',
    used: 'How many signatures this month had until now.',
  },
  SetPaymentMethodIntent: {
    paymentMethodId: 'The payment processor’s own id of the method, at most 256 characters. Card data is refused.',
    cardHolderName: 'The payer’s name, at most 255 characters. A card number in it is refused.',
    cardHolderEmail: 'The address that is noted for invoices. This service sends none.',
  },
  SetPaymentMethodResult: {
    lastFour: 'The last digits of the card; always empty, because no payment processor is asked.',
    cardHolderName: 'The payer’s name, as invoices show it.',
    cardHolderEmail: 'The address that is noted for invoices. This service sends none.',
  },
  UpdatePaymentMethodIntent: { paymentEmail: 'Replaces the address that is noted for invoices. This service sends none.' },
  UpdatePaymentMethodResult: { paymentEmail: 'Replaces the address that is noted for invoices. This service sends none.' },
  DeletePaymentMethodIntent: { paymentMethodId: 'The payment processor’s own name of the method to forget.' },
  DeletePaymentMethodResult: { paymentMethodId: 'The payment processor’s own name of the forgotten method.' },
  ActivateBillingTierIntent: { orbPlanId: 'Accepted from published clients: a plan at their biller. It is only noted.' },
  UpsertGasUsageConfigIntent: {
    enabled: 'Whether gas is paid for at all. Absent: as before, and true at first.',
    windowDurationMinutes: 'The length of the window that ends now, in minutes as a text: `1` to `43200` (30 days).',
    solanaConfig: 'Costs on Solana that are paid besides fees.',
  },
  GetGasUsageResponse: { windowDurationMinutes: 'The length of the window that ends now, in minutes; 0 if nothing is set.' },
  InitFiatOnRampParams: {
    network: 'The blockchain on which the coins arrive.',
    cryptoCurrencyCode: 'What the person buys: bitcoin, ether, SOL or USDC, on the given network.',
    paymentMethod: 'How the person pays. Default: the page asks.',
    countryCode: 'Where the person lives, by ISO 3166-1, such as `US`.',
    countrySubdivisionCode:
      'The state or province by ISO 3166-2, without the country, such as `NY`. Required if the country is `US`.',
  },
  GetOnrampTransactionStatusRequest: { transactionId: 'The `onRampTransactionId` of INIT_FIAT_ON_RAMP.' },
  ListFiatOnRampCredentialsResponse: { fiatOnRampCredentials: 'Stored keys at providers; their secrets stay sealed.' },
  GetWalletAddressBalancesRequest: {
    address: 'Of a wallet account of the organization, on the given network. Addresses of standalone keys are not found.',
  },
  GetWalletAddressBalancesResponse: {
    balances: 'The native coin, then tokens that the operator named. An asset without any balance is left out.',
  },
  ListSupportedAssetsResponse: { assets: 'The native coin, then each token that the operator named.' },
  balances: { name: 'The asset’s full name, such as `USD Coin`.' },
  assets: {
    name: 'The asset’s full name, such as `USD Coin`.',
    logoUrl: 'An https address of the asset’s picture, if the operator named one.',
  },
  asset: { name: 'The asset’s full name, such as `USD Coin`.' },
  HistoryParams: {
    organizationId: 'The UUID of the organization whose history is read.',
    address: 'Of a wallet account of the organization, on the given network. Addresses of standalone keys are not found.',
    paginationOptions: FIRST_TEN,
  },
  ListEthTransactionHistoryResponse: {
    transactions: 'Newest first: the organization’s own sends and, on scanned chains, all others since the scan began.',
    pageInfo: 'Where this page is in the whole history.',
  },
  ListSolTransactionHistoryResponse: {
    transactions: 'Newest first: the organization’s own sends and, on scanned chains, all others since the scan began.',
    pageInfo: 'Where this page is in the whole history.',
  },
  transactions: {
    from: 'The account that the transaction was sent from: of a sponsored send the paymaster.',
    to: 'The account or contract that was called. Absent if it made a contract.',
    block: 'The block that includes the transaction, by height, hash and time.',
    status: '`CONFIRMED`: in a block. `FINALIZED`: the chain will not drop that block.',
    fee: 'What `from`, or on Solana `feePayer`, paid to the network.',
    transfers: 'What the transaction moved to or from the queried address.',
    signature: 'The id of the transaction on Solana, in base58.',
    signers: 'Accounts that signed, the payer first.',
  },
  block: {
    number: 'Its height, or on Solana its slot, in decimal digits.',
    hash: 'Its id on the chain.',
    timestamp: 'When it was made, as the chain says, in RFC 3339.',
  },
  fee: { amount: 'In the smallest unit of the native coin, in decimal digits.' },
  transfers: {
    amount: 'In the smallest unit of the asset, in decimal digits.',
    counterparty: 'The account that sent it to the queried address, or got it from there, as its chain writes addresses.',
    display: 'The amount for people. It is always absent, because the service knows no prices.',
  },
  display: {
    crypto: 'The amount in whole coins, such as `1.5`.',
    usd: 'The amount in USD, if the price is known.',
  },
  signers: { address: 'The signer’s public key in base58.' },
  'ListEthTransactionHistoryResponse.transactions.turnkey': {
    sponsored: 'Whether the service’s paymaster paid the gas.',
    submittedAt: 'When the send was accepted, in RFC 3339.',
  },
  'ListSolTransactionHistoryResponse.transactions.turnkey': {
    sponsored: 'Whether the service’s paymaster paid the fee.',
    submittedAt: 'When the send was accepted, in RFC 3339.',
  },
};
