export const CHAIN_HELP = `Usage: countersign chain show [--json]
       countersign chain deploy-station --network eip155:N [--plain] [--dry-run] [--json]

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

Exit codes: 0 done, 1 not done, 2 wrong usage or settings.

Examples:
  ./countersign chain show
  ./countersign chain deploy-station --network eip155:8453 --dry-run
  DEPLOYER_KEY_FILE=deployer.key ./countersign chain deploy-station --network eip155:8453
`;
