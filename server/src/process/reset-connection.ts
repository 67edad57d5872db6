import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { TLSSocket } from 'node:tls'

/** Ends a connection with a TCP reset. With TLS the reset belongs to the socket below. A pipe is closed. */
export function resetConnection(connection: Duplex): void {
  const { _parent: below } = connection as Duplex & { readonly _parent?: Socket }
  const accepted = connection instanceof TLSSocket ? below : connection
  if (accepted instanceof Socket && accepted.remoteAddress !== undefined) accepted.resetAndDestroy()
  else connection.destroy()
}

/** Whether the other side has reset the connection. Node gives the same code to a connection that was only closed. */
export const isReset = ({ code, syscall }: NodeJS.ErrnoException): boolean =>
  code === 'ECONNRESET' && syscall !== undefined
