import type { Tables } from './types.ts';

const COUNTS = {
  signatures: 'Payloads and transactions that were signed in the period.',
  sends: 'Transactions that the service was asked to send in the period.',
  messages: 'Mails and text messages in the period.',
  activities: 'Activities of the period by their end.',
};

export const moneyFields: Tables = {
  UsageCounts: COUNTS,
  usage: { ...COUNTS, from: 'The first day of the entry in UTC, such as `2026-01-31`.' },
  subOrganizations: { ...COUNTS, organizationId: 'The UUID of the organization that used it.' },
  GetUsageRequest: {
    from: 'The first day in UTC, such as `2026-01-01`. Default: a month of days, or a year of months.',
    to: 'The last day in UTC, inclusive. Default: today.',
  },
  GetUsageResponse: {
    usage: 'One entry for each day or month, oldest first, the organization itself alone.',
    total: 'The sum over all entries and organizations.',
    quota: 'The limit of this month. Absent if the operator set none.',
    subOrganizations: 'A page of the organizations below that used anything, with their sums.',
  },
  quota: {
    signaturesPerMonth: 'How many signatures a calendar month in UTC may have.',
    used: 'How many signatures this month had until now.',
  },
  SetPaymentMethodIntent: {
    paymentMethodId: 'The payment processor’s own name of the method, which its page made. Never card data.',
    cardHolderName: 'The payer’s name, at most 255 characters. A card number in it is refused.',
    cardHolderEmail: 'Where invoices go.',
  },
  SetPaymentMethodResult: {
    lastFour: 'Always empty: the service never has card data.',
    cardHolderName: 'The payer’s name.',
    cardHolderEmail: 'Where invoices go.',
  },
  UpdatePaymentMethodIntent: { paymentEmail: 'Where invoices go from now on.' },
  UpdatePaymentMethodResult: { paymentEmail: 'Where invoices go from now on.' },
  DeletePaymentMethodIntent: { paymentMethodId: 'The payment processor’s own name of the method to forget.' },
  DeletePaymentMethodResult: { paymentMethodId: 'The payment processor’s own name of the forgotten method.' },
  ActivateBillingTierIntent: { orbPlanId: 'Accepted from published clients: a plan at their biller. It is only noted.' },
  UpsertGasUsageConfigIntent: {
    enabled: 'Whether gas is paid for at all. Default true.',
    windowDurationMinutes: 'How far back spending is summed, in minutes as a text.',
    solanaConfig: 'Costs on Solana that are paid besides fees.',
  },
  GetGasUsageResponse: { windowDurationMinutes: 'How far back spending is summed, in minutes.' },
  InitFiatOnRampParams: {
    network: 'The blockchain on which the coins arrive.',
    cryptoCurrencyCode: 'What the person buys.',
    paymentMethod: 'How the person pays. Default: the page asks.',
    countryCode: 'Where the person lives, by ISO 3166-1, such as `US`.',
    countrySubdivisionCode: 'The state or province by ISO 3166-2, without the country, such as `NY`.',
  },
  GetOnrampTransactionStatusRequest: { transactionId: 'The `onRampTransactionId` of INIT_FIAT_ON_RAMP.' },
  ListFiatOnRampCredentialsResponse: { fiatOnRampCredentials: 'Stored keys at providers; their secrets stay sealed.' },
  GetWalletAddressBalancesRequest: { address: 'Of a wallet account of the organization, on the given network.' },
  GetWalletAddressBalancesResponse: { balances: 'The native coin, then each token that the operator named.' },
  ListSupportedAssetsResponse: { assets: 'The native coin, then each token that the operator named.' },
  balances: { name: 'The asset’s full name, such as `USD Coin`.' },
  assets: {
    name: 'The asset’s full name, such as `USD Coin`.',
    logoUrl: 'An https address of the asset’s picture, if the operator named one.',
  },
  asset: { name: 'The asset’s full name, such as `USD Coin`.' },
  HistoryParams: { address: 'Of a wallet account of the organization, on the given network.' },
  ListEthTransactionHistoryResponse: {
    transactions: 'Newest first, as far as the service has scanned blocks.',
    pageInfo: 'Where this page is in the whole history.',
  },
  ListSolTransactionHistoryResponse: {
    transactions: 'Newest first, as far as the service has scanned blocks.',
    pageInfo: 'Where this page is in the whole history.',
  },
  transactions: {
    from: 'The account that the transaction was sent from.',
    to: 'The account or contract that was called. Absent if it made a contract.',
    block: 'Where the chain has it.',
    status: '`CONFIRMED`: in a block. `FINALIZED`: the chain will not drop that block.',
    fee: 'What the sender paid to the network.',
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
    counterparty: 'The other side’s address.',
    display: 'The amount for people.',
  },
  display: {
    crypto: 'The amount in whole coins, such as `1.5`.',
    usd: 'The amount in USD, if the price is known.',
  },
  signers: { address: 'The signer’s public key in base58.' },
  'ListEthTransactionHistoryResponse.transactions.turnkey': {
    sponsored: 'Whether the service’s paymaster paid the gas.',
    submittedAt: 'When the send was asked for, in RFC 3339.',
  },
  'ListSolTransactionHistoryResponse.transactions.turnkey': {
    sponsored: 'Whether the service’s paymaster paid the fee.',
    submittedAt: 'When the send was asked for, in RFC 3339.',
  },
};
