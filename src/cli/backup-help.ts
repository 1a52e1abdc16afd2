export const BACKUP_HELP = `Usage: countersign backup --out FILE [--recipient age1…] [--without-root-key] [--force] [--json]

Copies the whole instance, with its archive, into one encrypted file, while the service runs. Run it with the service's settings. All
that was acknowledged before it began is in the copy. With ROOT_KEY_PROVIDER=file the copy holds the root key too. A thief who opens
such a copy has every key. The file root-credentials.json is not in it.

The file is in the age format. BACKUP_PASSPHRASE, or the file that BACKUP_PASSPHRASE_FILE names, encrypts it: 12 characters or more.
With --recipient or BACKUP_RECIPIENT it is encrypted to an age public key.

  --out FILE           the file to make, for this user only; it appears when it is complete
  --recipient age1…    encrypt to this age public key, not by the passphrase
  --without-root-key   leave the root key out: keep it elsewhere, for without it the copy opens no key
  --force              replace FILE if it exists
  --json               the outcome as JSON

Exit codes: 0 done, 1 not done, 2 wrong usage.

Examples:
  BACKUP_PASSPHRASE_FILE=/etc/countersign/backup.pass ./countersign backup --out "/backups/$(date -u +%F).age"
  ./countersign backup --out copy.age --recipient age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p --json
`;

export const RESTORE_HELP = `Usage: countersign restore --from FILE [--identity FILE] [--dry-run] [--json]
       countersign restore --drill --from FILE [--identity FILE] [--root-key FILE] [--json]

Restores a copy of countersign backup into an empty PostgreSQL database, which DATABASE_URL names. Without that setting it restores on
SQLite, into DATA_DIR, which must be empty or missing. A copy of either engine restores into either. A copy of an older version is
migrated. The whole copy is checked before anything is written, and the instance appears at once or not at all. A root key in the copy
is written to ROOT_KEY_PATH.

With --drill it restores into a temporary folder, and opens every secret with the root key. It compares the counts, and checks the
fingerprint of every activity and the stamps of the newest ones. Then it removes the folder. It changes nothing else, and may run
beside a service.

The copy is opened by BACKUP_PASSPHRASE or BACKUP_PASSPHRASE_FILE, or by an age private key with --identity.

  --from FILE       the copy
  --identity FILE   a file with an age private key (AGE-SECRET-KEY-1…)
  --dry-run         check the copy and the place, say what would happen, and write nothing
  --drill           prove that the copy can be restored
  --root-key FILE   for a drill: the root key of a copy that does not hold it
  --json            the outcome as JSON

Exit codes: 0 done or proved, 1 not done or a fault was found, 2 wrong usage.

Examples:
  ./countersign restore --from copy.age --dry-run
  DATABASE_URL=postgres://… ./countersign restore --from copy.age
  ./countersign restore --drill --from copy.age --identity key.txt --json
`;
