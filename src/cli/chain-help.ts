export const CHAIN_HELP = `Usage: countersign chain show [--json]
       countersign chain deploy-station --network eip155:N [--plain] [--dry-run] [--json]
       countersign chain withdraw --network NAME --to ADDRESS (--amount COINS | --all) [--dry-run] [--yes] [--json]

show lists the networks with RPC URLs. It shows the hosts of their endpoints, the paymaster's address and balance, whether the contracts of
sponsored sends are deployed, and the price of the coin. It may run beside the service. It reads its own environment: give it the
service's settings.

deploy-station deploys the gas station and its delegate (contracts/README.md) where they are missing, waits until both exist, and checks
them. Their addresses are the same on every chain, for every deployer. Your own account pays, never the paymaster, whose nonces belong to
the running service. You may run it again: deployed contracts stay (with --plain, once GAS_STATIONS names them).

  --network eip155:N   the network
  --plain              deploy without the Immutable CREATE2 factory, on a chain that has none: to other addresses, which
                       GAS_STATIONS must then name
  --dry-run            show the missing contracts and the highest cost, and send nothing
  --json               as JSON

The key of the paying account is in DEPLOYER_KEY, or in the file that DEPLOYER_KEY_FILE names: 64 hex digits. A dry run needs none.

withdraw sends coins of the paymaster to your address, and waits until the transaction is mined. It keeps the coins that pending
sends and its own fee may need. On PostgreSQL it runs beside the service; on SQLite, stop the service first, except for a dry run.
It needs the root key, as the service does. If it ends early, by Ctrl-C or a crash, run it again. It finds the signed transaction,
and sends nothing twice.

  --network NAME       eip155:N, solana:mainnet or solana:devnet
  --to ADDRESS         the recipient. A checksum (EIP-55) is checked if there is one
  --amount COINS       the amount, such as 0.5; or --all for all free coins
  --dry-run            show the amount, the highest fee and the remaining coins, and send nothing
  --yes                do not ask for confirmation

Exit codes: 0 done, 1 not done, 2 wrong usage or settings.

Examples:
  ./countersign chain show
  ./countersign chain deploy-station --network eip155:8453 --dry-run
  DEPLOYER_KEY_FILE=deployer.key ./countersign chain deploy-station --network eip155:8453
  ./countersign chain withdraw --network eip155:8453 --to 0x… --amount 0.5 --dry-run
`;
