export const RUNNER_HELP = `Usage: countersign runner

Runs verifiable apps, each in a sandbox of its own, until SIGTERM or SIGINT. It is a process of its own beside the service. It leases
approved deployments over the socket of APPS_SOCKET, and gets their quorum keys from the shares that operators post.

It starts only with APPS_RUNNER=on, as root, on Linux with bubblewrap. It refuses to start where it can read DATA_DIR, and with
settings of the service that are secret. See docs/operating/apps-runner.md.

  APPS_SOCKET      the socket of the service
  DATA_DIR         the folder of the service, which must be hidden here
  APPS_FOLDER      for its own sockets and executables (/var/lib/countersign-runner)
  APPS_IMAGES_DIR  local images are below it
  APPS_HOST        the address for the traffic of apps
  APPS_PORT        its port
  APPS_DOMAIN      the domain below which each app has a name
  APPS_MOST        the most apps. Other settings limit each of them
  OUTBOUND_ALLOW   registries, and hosts for apps, in your own network

Exit codes: 0 stopped, 1 not started, 2 wrong settings.

Example, as root with these settings:
  unshare --mount sh -c 'mount -t tmpfs none "$DATA_DIR" && exec ./countersign runner'
`;
