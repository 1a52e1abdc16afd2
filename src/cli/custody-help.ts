export const CUSTODY_HELP = `Usage: countersign custody status [--json]
       countersign custody rotate-root [--to PROVIDER] [--force] [--dry-run] [--json]
       countersign custody rotate-master [--force] [--dry-run] [--json]

The root key wraps the master keys of the database, and these seal every secret in it.

  status        the root key and the master keys, by id and version, without any key
  rotate-root   wrap the master keys by another root key. Clients are served meanwhile. All versions change at once, or none
  rotate-master make a new master key and seal every secret under it. Clients are served meanwhile. Given again, it goes on where it was

The root key of now comes from the settings of the service. The new one comes from the same settings with NEW_ in front: NEW_ROOT_KEY_PATH,
NEW_ROOT_PASSPHRASE_FILE, NEW_ROOT_KEY and so on. Running services keep working with the master keys that they have opened. Afterwards
set the settings without NEW_, and restart each process: the old settings open nothing. Then rotate the master key, if you want that too.
On SQLite the running service does the work, over DATA_DIR/control.sock. PostgreSQL: this command does it.

  --to PROVIDER   file, passphrase, env, vault-transit, aws-kms or pkcs11. Omitted: the provider of now
  --force         rotate-root: use a root key file that exists. rotate-master: begin, although a version was left open
  --dry-run       show the outcome, and change nothing
  --json          the outcome as JSON

Exit codes: 0 done or nothing to do, 1 not done, 2 wrong usage.

Examples:
  ./countersign custody status
  NEW_ROOT_PASSPHRASE_FILE=/run/secrets/next ./countersign custody rotate-root --to passphrase --dry-run
  NEW_ROOT_KEY_PATH=/keys/2027.key ./countersign custody rotate-root
  ./countersign custody rotate-master
`;
