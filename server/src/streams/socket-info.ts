import type { SocketInfo, SocketSource } from '../http/open-sockets.ts'
import type { Registry } from './registry.ts'
import type { StreamSocket } from './socket.ts'

/** The open streams for operators. */
export const socketSource = (registry: Registry): SocketSource => ({
  *all() {
    for (const socket of registry.all()) yield infoOf(socket)
  },
  close(id) {
    for (const socket of registry.all()) {
      if (socket.id !== id) continue
      socket.close('byOperator')
      return true
    }
    return false
  },
})

function infoOf({
  id,
  endpoint,
  address,
  openedMs,
  caller,
  outbox,
  sent,
  subscriptions,
}: StreamSocket): SocketInfo {
  return {
    id,
    endpoint,
    world: caller?.world,
    keyId: caller?.credentialId,
    accountId: caller?.kind === 'account' ? caller.accountId : undefined,
    address,
    openedMs,
    subscriptions,
    sentMessages: sent,
    sentBytes: outbox.sentBytes,
    waitingBytes: outbox.bytes,
    lagMs: outbox.lagMs,
  }
}
