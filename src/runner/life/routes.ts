import type { Lease } from './lease.ts';

type Route = { appId: string; lease: Lease; socket: string | undefined };

/** The deployments of this runner by their apps. A live one has a socket while it answers. */
export class AppRoutes {
  readonly #byDeployment = new Map<string, Route>();

  set(appId: string, lease: Lease, socket: string | undefined): void {
    this.#byDeployment.set(lease.place.deploymentId, { appId, lease, socket });
  }

  /** Leaves the route of a later lease of the same deployment. */
  delete(lease: Lease): void {
    if (this.#byDeployment.get(lease.place.deploymentId)?.lease === lease) this.#byDeployment.delete(lease.place.deploymentId);
  }

  #live(appId: string): Route | undefined {
    return [...this.#byDeployment.values()].find((route) => route.appId === appId && route.lease.isLive);
  }

  knows(appId: string): boolean {
    return this.#live(appId) !== undefined;
  }

  socketOf(appId: string): string | undefined {
    const route = this.#live(appId);
    return route?.lease.lapse.aborted ? undefined : route?.socket;
  }
}
