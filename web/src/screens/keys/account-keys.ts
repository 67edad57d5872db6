import { useEffect } from 'preact/hooks'
import { calm } from '../../live/reading.ts'
import { repeat } from '../../live/repeat.ts'
import type { Connection } from '../../session/connections.ts'
import { api, worldName } from '../../session/selection.ts'
import { keys } from './readings.ts'

/** Reads the keys of the chosen account: at the start, when the viewer returns, and after each event of the account. */
export function useAccountKeys(): void {
  const connection = api.value
  useEffect(() => {
    keys.clear()
    if (!connection) return undefined
    const closing = new AbortController()
    const read = () => void keys.read()
    read()
    addEventListener('focus', read, { signal: closing.signal })
    followEvents(connection, closing.signal, calm(read, closing.signal))
    return () => closing.abort()
  }, [connection])
}

/** Keys are created, revoked and used with events of the account; a use that only reads has none. */
function followEvents({ client, events }: Connection, signal: AbortSignal, changed: () => void): void {
  const params = { world: worldName.peek() }
  let isFirst = true
  void repeat(signal, async () => {
    const { events: last } = await client.listEvents({ params, query: { last: 1 } } as never, { signal })
    // After a restart of the server.
    if (!isFirst) changed()
    isFirst = false
    const query = { cursor: String(last.at(-1)?.number ?? 0) }
    for await (const _ of events.listEvents({ params, query } as never, { signal })) changed()
  })
}
