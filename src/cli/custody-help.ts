export const CUSTODY_HELP = `Usage: countersign custody status [--json]
       countersign custody rotate-root [--to PROVIDER] [--force] [--dry-run] [--json]
       countersign custody rotate-root --to shares --shares N --threshold T [--out FOLDER] [--dry-run] [--json]
       countersign custody rotate-master [--force] [--dry-run] [--json]
       countersign custody split --shares N --threshold T [--out FOLDER] [--json]
       countersign custody combine [--out FILE] [--json]
       countersign custody unseal [--json]

The root key wraps the master keys of the database, and these seal every secret in it.

  status        the root key and the master keys, by id and version, without any key. Also what keeps a version open
  rotate-root   wrap the master keys by another root key. Clients are served meanwhile. All versions change at once, or none
  rotate-master make a new master key and seal every secret under it. Clients are served meanwhile. Given again, it goes on where it was
  split         divide the root key into N shares, any T of which give it (providers file and env)
  combine       write a root key file from shares, if it is the root key of the database here
  unseal        give one share to the process of this DATA_DIR that waits for them (provider shares). Each restart needs it

The root key of now comes from the settings of the service. The new one comes from the same settings with NEW_ in front: NEW_ROOT_KEY_PATH,
NEW_ROOT_PASSPHRASE_FILE, NEW_ROOT_KEY and so on. Running services keep working with the master keys that they have opened. Afterwards
set the settings without NEW_, and restart each process: the old settings open nothing. Then rotate the master key, if you want that too.
On SQLite the running service does the work, over DATA_DIR/control.sock. PostgreSQL: this command does it.

Shares are read at a prompt, which does not show them, or from standard input: one in each line. They are never arguments. The first
share decides the set. If it was a wrong one, restart the sealed process, or wait ten minutes.

  --to PROVIDER   file, passphrase, env, shares, vault-transit, aws-kms or pkcs11. Omitted: the provider of now
  --shares N      how many shares are made: at most 16
  --threshold T   how many of them give the key: at least 2
  --out           split and rotate-root: an empty folder for a file of each share, mode 0600. combine: the file to write
  --force         rotate-root: use a root key file that exists. rotate-master: begin, although a version was left open
  --dry-run       show the outcome, and change nothing
  --json          the outcome as JSON

Exit codes: 0 done, 1 not done, 2 wrong usage, 3 a version of the master key stays open.

Examples:
  ./countersign custody status
  NEW_ROOT_PASSPHRASE_FILE=/run/secrets/next ./countersign custody rotate-root --to passphrase --dry-run
  NEW_ROOT_KEY_PATH=/keys/2027.key ./countersign custody rotate-root
  ./countersign custody rotate-root --to shares --shares 5 --threshold 3 --out /mnt/stick/shares
  ./countersign custody rotate-master
  ./countersign custody split --shares 5 --threshold 3 --out /mnt/stick/shares
  ./countersign custody unseal < /mnt/stick/share-1-of-5.txt
`;
