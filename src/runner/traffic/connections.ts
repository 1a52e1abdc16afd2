import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export interface Connections {
  /** False if the connection has an unanswered request before this one: only one at a time is carried out. */
  begin(request: IncomingMessage, response: ServerResponse): boolean;
  /** This connection is in use until it closes. */
  keep(socket: Socket): void;
  /** Ends all connections, also those that became WebSockets. */
  destroy(): void;
}

/** Bounds the connections of a server. A new one takes the place of the one that was idle for longest. */
export function connectionsOf(server: Server, most: number, refused: (reason: string) => void): Connections {
  /** Each with its unanswered request's response. The one with the latest request is last. */
  const open = new Map<Socket, ServerResponse | 'kept' | undefined>();

  function hasRoom(): boolean {
    if (open.size < most) return true;
    for (const [socket, response] of open) {
      if (response !== undefined) continue;
      open.delete(socket);
      socket.destroy();
      return true;
    }
    return false;
  }

  server.on('connection', (socket) => {
    if (!hasRoom()) {
      refused('full');
      socket.destroy();
      return;
    }
    open.set(socket, undefined);
    socket.once('close', () => open.delete(socket));
  });

  return {
    begin({ socket }, response) {
      const earlier = open.get(socket);
      if (!open.delete(socket) || (typeof earlier === 'object' && !earlier.writableFinished)) return false;
      open.set(socket, response);
      response.once('close', () => {
        if (open.get(socket) === response) open.set(socket, undefined);
      });
      return true;
    },
    keep(socket) {
      if (open.delete(socket)) open.set(socket, 'kept');
    },
    destroy() {
      for (const socket of open.keys()) socket.destroy();
    },
  };
}
