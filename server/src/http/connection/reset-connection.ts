import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'

/**
 * Ends a connection with a TCP reset. With TLS the reset belongs to the socket below. A pipe is closed, and so is a
 * connection whose end is being sent: libuv refuses to reset it, and Node then never closes its handle. The process
 * would keep the descriptor, and spin when it exits.
 */
export function resetConnection(connection: Duplex): void {
  const { _parent: below } = connection as Duplex & { readonly _parent?: Socket }
  // As `instanceof TLSSocket`, which would load TLS into every server.
  const accepted = 'encrypted' in connection ? below : connection
  const canReset = accepted instanceof Socket && accepted.remoteAddress !== undefined && !connection.destroyed
  if (canReset && !isSendingEnd(connection) && !isSendingEnd(accepted)) accepted.resetAndDestroy()
  else connection.destroy()
}

/** The end is sent after the last written byte. */
const isSendingEnd = ({ writableEnded, writableLength, writableFinished }: Duplex): boolean =>
  writableEnded && writableLength === 0 && !writableFinished

/** Whether the other side has reset the connection. Node gives the same code to a connection that was only closed. */
export const isReset = ({ code, syscall }: NodeJS.ErrnoException): boolean =>
  code === 'ECONNRESET' && syscall !== undefined
