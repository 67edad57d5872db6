import { once } from 'node:events'
import { WebSocket } from 'ws'

/** Whether a credential takes part in the steps of the clock, which wait for its reports. */
export async function joinAsParticipant(
  { url }: { readonly url: string },
  headers: Record<string, string>,
): Promise<'joined' | 'refused'> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/sim/v1/participant`, { headers })
  const joined = once(socket, 'message').then(() => 'joined' as const)
  const closed = once(socket, 'close').then(() => 'refused' as const)
  const result = await Promise.race([joined, closed])
  socket.terminate()
  return result
}
