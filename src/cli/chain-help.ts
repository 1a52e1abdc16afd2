export const CHAIN_HELP = `Usage: countersign chain show [--json]
       countersign chain deploy-station --network eip155:N [--plain] [--dry-run] [--json]
       countersign chain withdraw --network NAME --to ADDRESS (--amount COINS | --all) [--dry-run] [--yes] [--json]

show lists the networks that have RPC URLs: their endpoints by host, the paymaster's address and balance, whether the contracts of
sponsored sends are deployed, and the price of the coin. It may run beside the service, and reads its own environment: give it the
service's settings.

deploy-station deploys what is missing of the gas station and its delegate (contracts/README.md), waits until both are there, and looks
at them. Their addresses are the same on every chain, whoever deploys. An account of yours pays, never the paymaster, whose nonces belong to
the running service. Run it again as often as you like: what is there stays (with --plain, once GAS_STATIONS names it).

  --network eip155:N   where
  --plain              deploy without the Immutable CREATE2 factory, on a chain that has none: to other addresses, which
                       GAS_STATIONS must then name
  --dry-run            say what is missing and what it may cost, and send nothing
  --json               as JSON

The key of the account that pays is DEPLOYER_KEY, or in the file that DEPLOYER_KEY_FILE names: 64 hex digits. A dry run needs none.

withdraw sends coins of the paymaster to an address of yours, and waits until a block has that. What sends under way may still need, and
the most that the fee may be, stays. On PostgreSQL it runs beside the service; on SQLite the service must be stopped, but for a dry run. It
needs the root key, as the service does. If it ends early, by Ctrl-C or a crash, run it again: it finds what it signed, and sends nothing
twice.

  --network NAME       eip155:N, solana:mainnet or solana:devnet
  --to ADDRESS         where to. A checksum (EIP-55) is checked if there is one
  --amount COINS       how much, such as 0.5; or --all for all that is free
  --dry-run            say what would be sent, what it may cost and what is left, and send nothing
  --yes                do not ask

Exit codes: 0 done, 1 not done, 2 wrong usage or settings.

Examples:
  ./countersign chain show
  ./countersign chain deploy-station --network eip155:8453 --dry-run
  DEPLOYER_KEY_FILE=deployer.key ./countersign chain deploy-station --network eip155:8453
  ./countersign chain withdraw --network eip155:8453 --to 0x… --amount 0.5 --dry-run
`;
