export const APPS_HELP = `Usage: countersign apps operator-key NAME [--force] [--json]
       countersign apps approve DEPLOYMENT_ID --key FILE [--digest SHA256] [--hash SHA256] [--dry-run] [--json]
       countersign apps post-share DEPLOYMENT_ID --operator NAME [--hash SHA256] [--dry-run] [--json]
       countersign apps post-share DEPLOYMENT_ID --key FILE --share FILE [--hash SHA256] [--dry-run] [--json]
       countersign apps status APP_ID [--json]
       countersign apps logs DEPLOYMENT_ID [--tail LINES] [--since SECONDS] [--json]

What operators of verifiable apps do. The command operator-key makes the keys of an operator. It writes their seed to NAME.operator in
this folder, with mode 0600. It prints the public key, which create_tvc_app takes. It calls no service.

The command approve reads the manifest of a deployment, and shows what it says. It computes the hash of these bytes itself, signs it with
the operator's key, and submits the signature. That is an activity: policies decide who may submit it. The key never leaves this machine.
With --digest, the command signs no manifest for an executable with another SHA-256 than that. With --hash, it signs no other manifest
than the one that was read before.

The command post-share hands an operator's share of the quorum key to the runner that waits for it. It verifies first that the service
has signed the runner's key, for this very manifest. With --operator, the service has the operator's keys and share, and seals it anew.
With --key and --share, this command does: the share file holds the share in hex, sealed to the operator. It never leaves unsealed.

  --operator NAME     an operator of the share set whose keys the service has
  --share FILE        the operator's sealed share, in hex
  --key FILE          the file of operator-key
  --digest SHA256     the executable that is approved, in hex
  --hash SHA256       the hash of the manifest that --dry-run showed
  --dry-run           show the manifest, and sign nothing
  --tail LINES        the last lines alone
  --since SECONDS     lines of the last seconds alone
  --force             replace an existing file: its keys are lost
  --json              as JSON
  --credentials FILE  another file than DATA_DIR/root-credentials.json, such as one of countersign keygen
  --url URL           another service than that of BASE_URL, PORT or the credentials file
  --organization ID   another organization, such as a sub-organization

Exit codes: 0 done, 1 refused or not done, 2 wrong usage or no answer.

Examples:
  ./countersign apps operator-key alice
  ./countersign apps approve 0191f3c2-… --key alice.operator --dry-run
  ./countersign apps approve 0191f3c2-… --key alice.operator --digest "$(sha256sum app | cut -d' ' -f1)"
  ./countersign apps post-share 0191f3c2-… --operator Alice --hash "$HASH"
  ./countersign apps status 0191f3c2-…
  ./countersign apps logs 0191f3c2-… --tail 20
`;
