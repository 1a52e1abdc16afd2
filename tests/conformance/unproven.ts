/** What the tests cannot show without accounts or networks of others. `kinds`: kinds of activities and names of queries. */
export const UNPROVEN: readonly { kinds: RegExp; what: string }[] = [
  { kinds: /on_?ramp/i, what: 'live accounts of Coinbase and MoonPay: test servers implement their documents' },
  { kinds: /^SPARK_/, what: 'live operators of Spark: the published signer computes the same' },
  { kinds: /PAYMENT_METHOD$|^ACTIVATE_BILLING_TIER$/, what: 'a payment processor: none is connected' },
  { kinds: /^(INIT_)?OTP(_|$)/, what: 'live SMS providers: test servers implement their documents' },
  { kinds: /OAUTH/i, what: 'live OAuth 2.0 providers: OpenID runs against a real provider, X and Discord against test servers' },
  {
    kinds: /^(ETH_SEND|ETH_UNDELEGATE|COUNTERSIGN_(CANCEL|SPEED))/,
    what: 'public networks: a local chain of anvil mines the transactions',
  },
  { kinds: /^SOL_SEND/, what: 'public networks: a local Solana ledger runs the transactions' },
  { kinds: /tvc|app_status/i, what: 'enclaves: a runner starts apps in a sandbox of software, and no hardware measures them' },
  {
    kinds: /(app|boot)_proof/,
    what: 'hardware that attests: software signs these documents, and verifiers of hardware refuse them',
  },
];
